import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { expect, onTestFinished, test } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startFaultProxy } from "../helpers/fault-proxy.ts";
import { append, begin, connect, errorOf, message, openStore, storedIdsOf } from "../helpers/sessions.ts";

/** Lets all owners look as if they had given no sign of life for long. */
async function ageOwners(url: string): Promise<void> {
  const client = await connect(url);
  await client.query("update pikit.owners set seen_at = seen_at - interval '1 year'");
}

test("a process that is stopped for longer than its lease cannot write when it comes back", async () => {
  const url = await createDatabase();
  const program = join(import.meta.dirname, "fixtures/append-lines.ts");
  const child = spawn(process.execPath, ["--conditions=pikit-source", program, url, "s-1"], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextAnswer = async () => (await answers.next()).value;
  expect(await nextAnswer()).toBe("open");
  child.stdin.write("1\n");
  expect(await nextAnswer()).toBe("stored");

  child.kill("SIGSTOP");
  child.stdin.write("2\n");
  const store = openStore(url);
  // Its connections are open, so the server keeps its lock.
  expect(await errorOf(() => store.open("s-1", () => undefined))).toMatchObject({ code: "locked" });
  await ageOwners(url);
  const { log } = await store.open("s-1", () => undefined);
  await append(log, [message("3")]);

  child.kill("SIGCONT");
  expect(await nextAnswer()).toBe("locked");
  await append(log, [message("4")]);
  expect(await storedIdsOf(store, "s-1")).toEqual(["1", "3", "4"]);
  const exited = once(child, "exit");
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});

test("an append that was cut off while another process opened the session is refused when it arrives", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const log = await begin(openStore(proxy.url, { patienceSeconds: 200 }), "s-1", [message("1")]);
  const stalled = proxy.plan({ fault: "stall", direction: "toServer", bytes: 100 });
  const refused = errorOf(() => append(log, [message("2")]));
  await stalled;
  const store = openStore(url);
  expect(await errorOf(() => store.open("s-1", () => undefined))).toMatchObject({ code: "locked" });
  await ageOwners(url);
  const { log: taken } = await store.open("s-1", () => undefined);
  await append(taken, [message("3")]);
  proxy.resume();
  expect(await refused).toMatchObject({ code: "locked" });
  expect(await storedIdsOf(store, "s-1")).toEqual(["1", "3"]);
});

test("an owner that the network cut off keeps its sessions when it comes back before anybody has opened them", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const log = await begin(openStore(proxy.url, { patienceSeconds: 200 }), "s-1", [message("1")]);
  proxy.stallAll();
  const appended = append(log, [message("2")]);
  await ageOwners(url);
  proxy.breakAll("cut");
  proxy.resume();
  await appended;
  const store = openStore(url);
  expect(await storedIdsOf(store, "s-1")).toEqual(["1", "2"]);
});

test("a store is closed although no connection answers", async () => {
  const proxy = await startFaultProxy(await createDatabase());
  const store = openStore(proxy.url, { leaseSeconds: 60 });
  await (await begin(store, "s-1", [message("1")])).close();
  proxy.stallAll();
  const clock = holdClock();
  await clock.passUntil(store.close());
  proxy.breakAll("cut");
});

test("an operation whose first connection hangs ends when its time is over", async () => {
  const proxy = await startFaultProxy(await createDatabase());
  const store = openStore(proxy.url, { patienceSeconds: 60 });
  const stalled = proxy.plan({ fault: "stall", direction: "toClient" });
  const clock = holdClock();
  const failed = errorOf(() => store.list());
  await stalled;
  proxy.stallAll();
  expect(await clock.passUntil(failed)).toMatchObject({ code: "read_failed" });
  proxy.breakAll("cut");
});

test("a session is opened although the connection of the locks hangs at first", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  await (await begin(openStore(url), "s-1", [message("1")])).close();
  const store = openStore(proxy.url, { patienceSeconds: 60, leaseSeconds: 60 });
  const stalled = proxy.plan({ fault: "stall", direction: "toClient", after: "pg_try_advisory_lock" });
  const clock = holdClock();
  const opened = store.open("s-1", () => undefined);
  await stalled;
  clock.pass(21_000);
  const { log } = await opened;
  await append(log, [message("2")]);
  clock.release();
  expect(await storedIdsOf(store, "s-1")).toEqual(["1", "2"]);
});

test("the lock does not stay with a connection that the server still believes in", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const store = openStore(proxy.url, { patienceSeconds: 200 });
  const log = await begin(store, "s-1", [message("1")]);
  const client = await connect(url);
  const lockHolders = async () => {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'
       and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.map(({ pid }) => pid);
  };
  const before = await lockHolders();
  expect(before).toHaveLength(1);

  const stalled = proxy.plan({ fault: "stall", direction: "toClient", after: "pikit.owner" });
  const clock = holdClock();
  store.announce("http://10.0.0.5:4711");
  await stalled;
  // The connection that gives no answer is given up, and made again.
  clock.pass(2 * 3_600_000);
  clock.release();
  await until("another connection has the lock", async () => {
    const now = await lockHolders();
    return now.length === 1 && now[0] !== before[0];
  });
  proxy.resume();
  await append(log, [message("2")]);
  expect(await errorOf(() => openStore(url).open("s-1", () => undefined))).toMatchObject({ code: "locked" });
});
