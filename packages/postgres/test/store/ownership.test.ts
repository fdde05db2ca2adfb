import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import type { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createDatabaseWithTables } from "../helpers/database.ts";
import { append, begin, connect, errorOf, header, idsOf, message, openStore } from "../helpers/sessions.ts";

/** Makes the last heartbeat of all owners older than their lease. */
async function expire(database: Client): Promise<void> {
  await database.query("update pikit.owners set seen_at = seen_at - lease - interval '1 second'");
}

/** The processes of the server that hold the lock of an owner. */
async function lockHolders(database: Client): Promise<number[]> {
  const { rows } = await database.query(
    `select pid from pg_locks join pikit.owners o on (o.id >> 32)::int8 = classid::int8 and (o.id & 4294967295) = objid::int8
     where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.map(({ pid }) => pid);
}

test("a session that is open elsewhere is refused with the address of its holder", async () => {
  const url = await createDatabaseWithTables();
  const [holder, other] = [openStore(url), openStore(url)];
  holder.announce("http://10.0.0.5:4711");
  await begin(holder, "s-1");
  for (const act of [() => other.open("s-1", () => undefined), () => other.remove("s-1")]) {
    const { code, message: text } = await errorOf(act);
    expect({ code, text }).toEqual({
      code: "locked",
      text: expect.stringContaining("is open on http://10.0.0.5:4711. Close it there"),
    });
  }
  expect(await other.holderOf("s-1")).toEqual({ address: "http://10.0.0.5:4711" });
});

test("an owner without a heartbeat loses its session to the next one, and can then neither write nor close it", async () => {
  const url = await createDatabaseWithTables();
  const database = await connect(url);
  const [lost, next] = [openStore(url), openStore(url)];
  const log = await begin(lost, "s-1", [message("1")]);
  await next.list();
  await expire(database);
  expect(await next.holderOf("s-1")).toBeUndefined();
  const opened = await next.open("s-1", () => undefined);
  expect(await errorOf(() => append(log, [message("late")]))).toMatchObject({ code: "locked" });
  await append(opened.log, [message("2")]);
  expect(await errorOf(() => append(log, [message("late")]))).toMatchObject({ code: "locked" });
  await log.close();
  expect(await errorOf(() => append(log, [message("late")]))).toMatchObject({ code: "locked" });
  expect(await errorOf(() => lost.open("s-1", () => undefined))).toMatchObject({ code: "locked" });
  await append(opened.log, [message("3")]);
  await opened.log.close();
  expect(await idsOf(lost, "s-1")).toEqual(["1", "2", "3"]);
  // Nobody has it open any more, so a log that was closed may append, behind what it does not know.
  await append(log, [message("4")]);
  expect(await idsOf(lost, "s-1")).toEqual(["1", "2", "3", "4"]);
});

test("an owner without a heartbeat keeps the sessions that nobody has opened meanwhile", async () => {
  const url = await createDatabaseWithTables();
  const store = openStore(url);
  const log = await begin(store, "s-1", [message("1")]);
  await expire(await connect(url));
  await append(log, [message("2")]);
  expect(await idsOf(store, "s-1")).toEqual(["1", "2"]);
});

test("of many who come to the session of a dead owner one opens it", async () => {
  const url = await createDatabaseWithTables();
  await begin(openStore(url), "s-1", [message("1")]);
  const others = Array.from({ length: 6 }, () => openStore(url));
  await Promise.all(others.map((store) => begin(store, `other-${others.indexOf(store)}`)));
  const database = await connect(url);
  await database.query(
    "update pikit.owners set seen_at = seen_at - lease where id = (select owner from pikit.sessions where id = 's-1')",
  );
  const results = await Promise.allSettled(others.map((store) => store.open("s-1", () => undefined)));
  const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => (reason as { code: string }).code);
  expect(refused).toEqual(Array.from({ length: 5 }, () => "locked"));
});

test("a process that is killed frees its sessions", async () => {
  const url = await createDatabaseWithTables();
  const program = join(import.meta.dirname, "fixtures/hold-session.ts");
  const child = spawn(process.execPath, ["--conditions=pikit-source", program, url, "s-1"], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const store = openStore(url);
  expect(await errorOf(() => store.open("s-1", () => undefined))).toMatchObject({ code: "locked" });
  expect(await store.holderOf("s-1")).toEqual({ address: null });
  child.kill("SIGKILL");
  await until("the server has noticed the end", async () => (await store.holderOf("s-1")) === undefined);
  const { log } = await store.open("s-1", () => undefined);
  await append(log, [message("1")]);
  expect(await idsOf(store, "s-1")).toEqual(["1"]);
});

test("a lost lock connection is made again, and the sessions stay open", async () => {
  const url = await createDatabaseWithTables();
  const database = await connect(url);
  const problems: string[] = [];
  const store = openStore(url, { report: (problem) => void problems.push(problem) });
  const log = await begin(store, "s-1", [message("1")]);
  const [before] = await lockHolders(database);
  await database.query("select pg_terminate_backend($1)", [before]);
  await until("the lock is taken again", async () => {
    const [now] = await lockHolders(database);
    return now !== undefined && now !== before;
  });
  await append(log, [message("2")]);
  const other = openStore(url);
  expect(await errorOf(() => other.open("s-1", () => undefined))).toMatchObject({ code: "locked" });
  await log.close();
  const opened = await other.open("s-1", () => undefined);
  await opened.log.close();
  expect(problems).toEqual([]);
});

test("connections that are lost in the middle of appends cost no entry", async () => {
  const url = await createDatabaseWithTables();
  const database = await connect(url);
  const store = openStore(url);
  const logs = await Promise.all(Array.from({ length: 20 }, (_, index) => begin(store, `s-${index}`)));
  const cut = () =>
    database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pikit' and datname = current_database()",
    );
  const numbers = Array.from({ length: 10 }, (_, index) => String(index));
  let cutting: Promise<unknown> = Promise.resolve();
  await Promise.all(
    logs.map(async (log) => {
      for (const number of numbers) {
        await append(log, [message(number)]);
        // While the others are on their way.
        if (log === logs[0]) cutting = cutting.then(cut);
      }
    }),
  );
  await cutting;
  for (const log of logs) expect(await idsOf(store, log.ref)).toEqual(numbers);
});

test("a session that this store has opened without an answer is opened again", async () => {
  const url = await createDatabaseWithTables();
  const database = await connect(url);
  const store = openStore(url);
  const log = await begin(store, "s-1", [message("1")]);
  await begin(store, "other");
  await log.close();
  // As a statement leaves it whose connection is lost before the answer.
  await database.query("update pikit.sessions set owner = (select owner from pikit.sessions where id = 'other') where id = 's-1'");
  expect(await store.holderOf("s-1")).toBeUndefined();
  expect(await errorOf(() => openStore(url).open("s-1", () => undefined))).toMatchObject({ code: "locked" });
  const opened = await store.open("s-1", () => undefined);
  await opened.log.close();
  await store.remove("s-1");
  expect((await store.list()).map(({ id }) => id)).toEqual(["other"]);
});

test("a store that is closed leaves its sessions to others", async () => {
  const url = await createDatabaseWithTables();
  const first = openStore(url);
  const log = first.create(header("s-1"));
  await append(log, [header("s-1"), message("1")]);
  await first.close();
  const { log: taken } = await openStore(url).open("s-1", () => undefined);
  await append(taken, [message("2")]);
});
