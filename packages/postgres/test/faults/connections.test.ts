import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startFaultProxy } from "../helpers/fault-proxy.ts";
import type { PlannedFault } from "../helpers/proxy-link.ts";
import { append, begin, header, message, openStore, storedIdsOf } from "../helpers/sessions.ts";

/** The fault comes on the connection that stores entries. */
const storing = { after: "with item as" };

const places: Omit<PlannedFault, "fault">[] = [
  // Before the statement, in it, and before and in its answer.
  { direction: "toServer", bytes: 0 },
  { direction: "toServer", bytes: 1 },
  { direction: "toServer", bytes: 700 },
  ...[0, 1, 5, 12, 40, 60].map((bytes) => ({ direction: "toClient" as const, bytes, ...storing })),
];

test.each(places)("an append whose connection is cut is stored once: %o", async (place) => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const log = await begin(openStore(proxy.url), "s-1", [message("1")]);
  const cut = proxy.plan({ fault: "cut", ...place });
  await append(log, [message("2"), message("3")]);
  await cut;
  await append(log, [message("4")]);
  expect(await storedIdsOf(openStore(url), "s-1")).toEqual(["1", "2", "3", "4"]);
});

test.each(places.filter(({ after }) => after))("a new session whose connection is cut is stored once: %o", async (place) => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const store = openStore(proxy.url);
  await store.list();
  const cut = proxy.plan({ fault: "cut", ...place });
  const log = await begin(store, "s-1", [message("1")]);
  await cut;
  await append(log, [message("2")]);
  expect(await storedIdsOf(openStore(url), "s-1")).toEqual(["1", "2"]);
});

test.each(["endToServer", "endToClient"] as const)(
  "an append whose connection is half closed is stored once: %s",
  async (fault) => {
    const url = await createDatabase();
    const proxy = await startFaultProxy(url);
    const log = await begin(openStore(proxy.url), "s-1", [message("1")]);
    const ended = proxy.plan({ fault, direction: "toClient", bytes: 7, ...storing });
    await append(log, [message("2")]);
    await ended;
    await append(log, [message("3")]);
    expect(await storedIdsOf(openStore(url), "s-1")).toEqual(["1", "2", "3"]);
  },
);

test("appends of many sessions whose connection is cut are all stored once", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const store = openStore(proxy.url);
  const ids = Array.from({ length: 20 }, (_, n) => `s-${n}`);
  const logs = await Promise.all(ids.map((id) => begin(store, id, [message("1")])));
  const cut = proxy.plan({ fault: "cut", direction: "toClient", bytes: 30, ...storing });
  await Promise.all(logs.map((log) => append(log, [message("2"), message("3")])));
  await cut;
  const reader = openStore(url);
  for (const id of ids) expect(await storedIdsOf(reader, id)).toEqual(["1", "2", "3"]);
});

test("an append whose connection hangs is tried again on another one, before the patience has run out", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const log = await begin(openStore(proxy.url, { patienceSeconds: 60 }), "s-1", [message("1")]);
  const stalled = proxy.plan({ fault: "stall", direction: "toClient", ...storing });
  const clock = holdClock();
  const appended = append(log, [message("2")]);
  await stalled;
  clock.pass(31_000);
  await appended;
  expect(await storedIdsOf(openStore(url), "s-1")).toEqual(["1", "2"]);
});

test("while the database is away an append fails when the patience has run out; the next one stores its entries too", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const log = await begin(openStore(proxy.url, { patienceSeconds: 60 }), "s-1", [message("1")]);
  await proxy.refuse();
  const clock = holdClock();
  const failed = append(log, [message("2")]).catch((error: unknown) => error);
  expect(await clock.passUntil(failed)).toMatchObject({ code: "write_failed", message: expect.stringContaining("ECONNREFUSED") });
  clock.release();
  await proxy.accept();
  await append(log, [message("2"), message("3")]);
  expect(await storedIdsOf(openStore(url), "s-1")).toEqual(["1", "2", "3"]);
});

test("entries of an append that failed, but was stored, are not stored again", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const log = await begin(openStore(proxy.url, { patienceSeconds: 60 }), "s-1", [message("1")]);
  const stalled = proxy.plan({ fault: "stall", direction: "toClient", ...storing });
  const clock = holdClock();
  const failed = append(log, [message("2")]).catch((error: unknown) => error);
  await stalled;
  await proxy.refuse();
  expect(await clock.passUntil(failed)).toMatchObject({ code: "write_failed" });
  clock.release();
  expect(await storedIdsOf(openStore(url), "s-1")).toEqual(["1", "2"]);
  await proxy.accept();
  await append(log, [message("2"), message("3")]);
  expect(await storedIdsOf(openStore(url), "s-1")).toEqual(["1", "2", "3"]);
});

test("a session that could not be stored is not locked when its log is closed", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const store = openStore(proxy.url, { patienceSeconds: 60 });
  const other = await begin(store, "s-0", [message("1")]);
  await proxy.refuse();
  const clock = holdClock();
  const log = store.create(header("s-1"));
  const failed = append(log, [header("s-1"), message("1")]).catch((error: unknown) => error);
  expect(await clock.passUntil(failed)).toMatchObject({ code: "write_failed" });
  clock.release();
  await proxy.accept();
  await log.close();
  await append(other, [message("2")]);
  await expect(store.open("s-1", () => undefined)).rejects.toMatchObject({ code: "not_found" });
  await append(await begin(store, "s-1", [message("1")]), [message("2")]);
});

test("a session that was stored without an answer is free when its log is closed", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const store = openStore(proxy.url, { patienceSeconds: 60 });
  const other = await begin(store, "s-0", [message("1")]);
  const stalled = proxy.plan({ fault: "stall", direction: "toClient", ...storing });
  const clock = holdClock();
  const log = store.create(header("s-1"));
  const failed = append(log, [header("s-1"), message("1")]).catch((error: unknown) => error);
  await stalled;
  await proxy.refuse();
  expect(await clock.passUntil(failed)).toMatchObject({ code: "write_failed" });
  clock.release();
  await proxy.accept();
  await append(other, [message("2")]);
  await log.close();
  const { log: again } = await openStore(url).open("s-1", () => undefined);
  await append(again, [message("2")]);
  expect(await storedIdsOf(store, "s-1")).toEqual(["1", "2"]);
});
