import type { SessionLog } from "@pikit/coding-agent";
import { Client } from "pg";
import { expect, test } from "vitest";
import { type FollowedEntry, follow } from "../../src/work/index.ts";
import { openWorkshop } from "./helpers.ts";

const header = { type: "session" as const, version: 3 as const, id: "s-1", timestamp: new Date(0).toISOString(), cwd: "/" };

/** Appends entries that are numbered on from those before. */
function appender(log: SessionLog) {
  let count = 0;
  return async (more: number) => {
    const entries = Array.from({ length: more }, () => {
      count += 1;
      const id = count.toString(16).padStart(8, "0");
      return { type: "custom" as const, customType: "test", data: { count }, id, parentId: null, timestamp: header.timestamp };
    });
    await log.append(count === more ? [header, ...entries] : entries, () => undefined);
  };
}

async function take(followed: AsyncIterator<FollowedEntry>, count: number): Promise<number[]> {
  const positions: number[] = [];
  while (positions.length < count) {
    const { value, done } = await followed.next();
    if (done) throw new Error("The session has no more entries.");
    positions.push((value as FollowedEntry).position);
  }
  return positions;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test("a session is followed from before its first entry, through lost connections, each entry once and in order", async () => {
  const { openStore, url } = await openWorkshop();
  const writer = openStore();
  const reader = openStore();
  const followed = follow(reader, "s-1");
  const first = take(followed, 700);
  const log = writer.create(header);
  const append = appender(log);
  await append(1);
  for (let index = 0; index < 9; index += 1) await append(100);
  expect(await first).toEqual(range(0, 700));
  expect(await take(followed, 201)).toEqual(range(700, 901));

  const admin = new Client({ connectionString: url });
  await admin.connect();
  const rest = take(followed, 500);
  for (let index = 0; index < 5; index += 1) {
    await append(50);
    // All connections of both stores, and those of the queue.
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await append(50);
  }
  expect(await rest).toEqual(range(901, 1401));
  await admin.end();
  await followed.return();
});

test("a session is followed from a place on, until the signal, the caller or its removal ends it", async () => {
  const { openStore } = await openWorkshop();
  const store = openStore();
  const log = store.create(header);
  const append = appender(log);
  await append(10);
  const ended = new AbortController();
  const followed = follow(store, "s-1", { since: 7, signal: ended.signal });
  expect(await take(followed, 3)).toEqual([7, 8, 9]);
  const waiting = followed.next();
  ended.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });

  const other = follow(store, "s-1", { since: 9 });
  expect(await take(other, 1)).toEqual([9]);
  await log.close();
  const removed = other.next();
  await store.remove("s-1");
  const again = store.create(header);
  await appender(again)(1);
  expect(await removed).toEqual({ done: true, value: undefined });
});
