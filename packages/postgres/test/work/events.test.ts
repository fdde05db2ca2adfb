import { until } from "@pikit/test-kit";
import { Client } from "pg";
import { expect, test } from "vitest";
import { type FollowedEvents, followEvents } from "../../src/work/index.ts";
import { openWorkshop } from "./helpers.ts";

interface WireRecord {
  type: string;
  assistantMessageEvent?: { type: string; delta?: string };
}

/** Reads records until the run of a job has settled. */
async function readRun(followed: AsyncIterator<FollowedEvents>): Promise<{ rows: FollowedEvents[]; records: WireRecord[] }> {
  const rows: FollowedEvents[] = [];
  const records: WireRecord[] = [];
  while (records.at(-1)?.type !== "agent_settled") {
    const { value, done } = await followed.next();
    if (done) throw new Error("There are no more events.");
    rows.push(value);
    records.push(...(value.records as WireRecord[]));
  }
  return { rows, records };
}

const textOf = (records: readonly WireRecord[]) =>
  records.map(({ assistantMessageEvent }) => assistantMessageEvent?.delta ?? "").join("");

test("a worker keeps the events of its runs when it is asked to, and they can be followed and continued", async () => {
  const { queue, startWorker, answering, ended, openStore, url } = await openWorkshop();
  const text = Array.from({ length: 2_000 }, (_, index) => `word ${index} `).join("");
  const followed = followEvents(openStore(), "s-1");
  const first = readRun(followed);
  const job = await queue.enqueue({ sessionId: "s-1", prompt: "Hello\0" });
  startWorker({ session: answering(() => ({ text })), keepEventsHours: 1 });
  const { rows, records } = await first;
  // Not toBe(text), whose report of a difference would be long.
  expect(textOf(records) === text).toBe(true);
  expect(records[0]).toMatchObject({ type: "agent_start" });
  expect(new Set(rows.map(({ jobId }) => jobId))).toEqual(new Set([job.id]));
  // Deltas that come while a row is stored are joined, and share the next row.
  expect(records.length).toBeLessThan(1_000);
  await ended(job.id);

  const next = await queue.enqueue({ sessionId: "s-1", prompt: "Again" });
  const since = rows.at(-1)?.id ?? "";
  const again = await readRun(followEvents(openStore(), "s-1", { since }));
  expect(again.rows[0]?.jobId).toBe(next.id);
  expect(textOf(again.records) === text).toBe(true);
  await followed.return?.();

  const admin = new Client({ connectionString: url });
  await admin.connect();
  await admin.query("update pikit.events set at = at - interval '2 hours' where job = $1", [job.id]);
  startWorker({ session: answering(() => ({ text: "done" })), keepEventsHours: 1 });
  await until("the old events are removed", async () => {
    const { rows: kept } = await admin.query<{ job: string }>("select distinct job from pikit.events");
    return kept.every((row) => row.job === next.id);
  });
  await admin.end();
});

test("by default no event is a row", async () => {
  const { queue, startWorker, answering, ended, url } = await openWorkshop();
  const job = await queue.enqueue({ prompt: "Hello" });
  startWorker({ session: answering(() => ({ text: "done" })) });
  await ended(job.id);
  const admin = new Client({ connectionString: url });
  await admin.connect();
  expect((await admin.query("select from pikit.events")).rowCount).toBe(0);
  await admin.end();
});
