import { until } from "@pikit/test-kit";
import { describe, expect, onTestFinished, test } from "vitest";
import { startFaultProxy } from "../helpers/fault-proxy.ts";
import { startServer, startStandby, type TestServer } from "../helpers/server.ts";
import { hasServerPrograms } from "../helpers/server-programs.ts";
import { append, begin, connect, errorOf, message, openStore, storedIdsOf } from "../helpers/sessions.ts";

/** A server of this test. */
async function ownServer(settings: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer(settings);
  onTestFinished(() => server.remove());
  return server;
}

/** Longer than a server needs to start on a busy machine. */
const patienceSeconds = 200;

describe.skipIf(!hasServerPrograms)("servers", () => {
  test.each(["stop", "kill"] as const)(
    "appends go on when the server is started again after a %s, and each entry is there once",
    async (how) => {
      const server = await ownServer();
      const store = openStore(server.url(), { patienceSeconds });
      const ids = Array.from({ length: 8 }, (_, n) => `s-${n}`);
      const counts = ids.map(() => 1);
      const logs = await Promise.all(ids.map((id) => begin(store, id, [message("1")])));
      let isOver = false;
      const writers = logs.map(async (log, n) => {
        while (!isOver) {
          const next = (counts[n] ?? 0) + 1;
          await append(log, [message(String(next))]);
          counts[n] = next;
        }
      });
      const goOn = async () => {
        const before = [...counts];
        await until("each session has new entries", () => counts.every((count, n) => count > (before[n] ?? 0)));
      };
      for (let round = 0; round < 3; round += 1) {
        await goOn();
        await server[how]();
        await server.start();
      }
      await goOn();
      isOver = true;
      await Promise.all(writers);
      for (const [n, id] of ids.entries()) {
        expect(await storedIdsOf(store, id)).toEqual(Array.from({ length: counts[n] ?? 0 }, (_, index) => String(index + 1)));
      }
      // The locks came back with the connection.
      await until(
        "another store finds the sessions open",
        async () => (await openStore(server.url()).holderOf("s-0")) !== undefined,
      );
      expect(await errorOf(() => openStore(server.url()).open("s-0", () => undefined))).toMatchObject({ code: "locked" });
    },
  );

  test("after a failover the appends wait until the standby can be written to, and nothing that was confirmed is lost", async () => {
    const primary = await ownServer();
    const standby = await startStandby(primary);
    onTestFinished(() => standby.remove());
    const client = await connect(primary.url());
    await until("the standby receives changes", async () => (await client.query("select from pg_stat_replication")).rowCount === 1);
    // From now on a commit is confirmed when the standby shows it.
    await client.query("alter system set synchronous_commit = remote_apply");
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query("select pg_reload_conf()");
    await until("commits wait for the standby", async () => {
      const { rows } = await client.query("select sync_state from pg_stat_replication");
      return rows[0]?.sync_state === "sync";
    });
    const proxy = await startFaultProxy(primary.url());
    const store = openStore(proxy.url, { patienceSeconds });
    const log = await begin(store, "s-1", [message("1")]);
    await append(log, [message("2")]);

    client.on("error", () => undefined);
    await primary.kill();
    proxy.moveTo(standby.url());
    const appended = append(log, [message("3")]);
    const other = await connect(standby.url());
    await until("the store has connected to the standby", async () => {
      const { rowCount } = await other.query("select from pg_stat_activity where application_name = 'pikit'");
      return (rowCount ?? 0) > 0;
    });
    const reader = openStore(standby.url());
    expect(await storedIdsOf(reader, "s-1")).toEqual(["1", "2"]);
    await other.query("select pg_promote()");
    await appended;
    expect(await storedIdsOf(reader, "s-1")).toEqual(["1", "2", "3"]);
    await until("the store has its lock again", async () => (await reader.holderOf("s-1")) !== undefined);
  });

  test("a server that can only be read says so when the patience has run out", async () => {
    const server = await ownServer();
    const url = server.url();
    const log = await begin(openStore(url, { patienceSeconds: 0.2 }), "s-1", [message("1")]);
    const client = await connect(url);
    await client.query("alter system set default_transaction_read_only = on");
    await client.query("select pg_reload_conf()");
    await until("the server can only be read", async () => {
      const { rows } = await (await connect(url)).query("show default_transaction_read_only");
      return rows[0]?.default_transaction_read_only === "on";
    });
    const error = await errorOf(() => append(log, [message("2")]));
    expect(error).toMatchObject({ code: "write_failed", message: expect.stringContaining("Give the address of the primary") });
    await client.query("set default_transaction_read_only = off");
    await client.query("alter system reset default_transaction_read_only");
    await client.query("select pg_reload_conf()");
    await until("the entry is stored", () =>
      append(log, [message("2")]).then(
        () => true,
        () => false,
      ),
    );
    expect(await storedIdsOf(openStore(url), "s-1")).toEqual(["1", "2"]);
  });
});
