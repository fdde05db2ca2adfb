import { defineTool, Type } from "@pikit/coding-agent";
import { expect, test } from "vitest";
import { Claims } from "../../src/work/claims.ts";
import { type JobRequest, openWorkQueue } from "../../src/work/index.ts";
import { openWorkshop } from "./helpers.ts";

/** A tool that works until its run is aborted. */
function endlessTool() {
  const called = Promise.withResolvers<void>();
  const tool = defineTool({
    name: "endless",
    description: "Works.",
    parameters: Type.Object({}),
    async execute(_id, _params, signal) {
      called.resolve();
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason));
      return promise;
    },
  });
  return { tool, called: called.promise };
}

const callEndless = { toolCalls: [{ name: "endless", arguments: {} }] };

test("a worker that is stopped gives its jobs back, and another one continues them", async () => {
  const { queue, startWorker, answering, ended, readStory } = await openWorkshop();
  const { tool, called } = endlessTool();
  const job = await queue.enqueue({ prompt: "Go" });
  const ends: unknown[] = [];
  const first = startWorker({
    session: answering([callEndless], { customTools: [tool] }),
    onEnd: (id, result) => void ends.push([id, result]),
  });
  await called;
  await first.stop({ graceSeconds: 0 });
  expect(ends).toEqual([[job.id, undefined]]);
  expect(await queue.find(job.id)).toMatchObject({ state: "waiting" });
  startWorker({ session: answering([{ text: "Continued." }]), maxDeaths: 1 });
  expect(await ended(job.id)).toMatchObject({ outcome: "completed", answer: "Continued." });
  const story = await readStory(job.sessionId);
  expect(story.filter((line) => line.startsWith("user:"))).toEqual(["user: Go"]);
  expect(story.at(-1)).toBe("assistant: Continued.");
});

test("a worker that is stopped waits for its jobs as long as it is told", async () => {
  const { queue, startWorker, answering } = await openWorkshop();
  const called = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const job = await queue.enqueue({ prompt: "Go" });
  const next = await queue.enqueue({ prompt: "Too late" });
  const worker = startWorker({
    concurrency: 1,
    session: answering(async () => {
      called.resolve();
      await answer.promise;
      return { text: "Done." };
    }),
  });
  await called.promise;
  const stopped = worker.stop({ graceSeconds: 3_600 });
  answer.resolve();
  await stopped;
  expect(await queue.find(job.id)).toMatchObject({ state: "ended", result: { outcome: "completed" } });
  expect(await queue.find(next.id)).toMatchObject({ state: "waiting" });
});

test("a job waits for a session that is open elsewhere, and later jobs of the session wait behind it", async () => {
  const { queue, startWorker, answering, ended, readStory, openStore } = await openWorkshop();
  const user = openStore();
  const header = { type: "session" as const, version: 3 as const, id: "s-1", timestamp: new Date().toISOString(), cwd: "/" };
  const log = user.create(header);
  const note = { type: "custom" as const, customType: "test", id: "00000001", parentId: null, timestamp: header.timestamp };
  await log.append([header, note], () => undefined);
  const first = await queue.enqueue({ sessionId: "s-1", prompt: "one" });
  const second = await queue.enqueue({ sessionId: "s-1", prompt: "two" });
  const returned = Promise.withResolvers<string>();
  startWorker({
    session: answering(() => ({ text: "done" })),
    onEnd: (id, result) => void (result || returned.resolve(id)),
    // Giving a job back is no death.
    maxDeaths: 1,
  });
  expect(await returned.promise).toBe(first.id);
  await log.close();
  await Promise.all([ended(first.id), ended(second.id)]);
  expect(await readStory("s-1")).toEqual(["user: one", "assistant: done", "user: two", "assistant: done"]);
});

test("a job with which workers die again and again fails, and does not hold up its session", async () => {
  const { queue, startWorker, answering, ended } = await openWorkshop();
  const job = await queue.enqueue({ sessionId: "s-1", prompt: "deadly" });
  const next = await queue.enqueue({ sessionId: "s-1", prompt: "harmless" });
  const sweeper = new Claims(queue.engine, "1");
  for (const dead of ["2", "3", "4"]) {
    // There is no such owner, so it is dead.
    expect(await new Claims(queue.engine, dead).take(10)).toMatchObject([{ id: job.id }]);
    expect(await sweeper.sweep([])).toEqual([]);
  }
  startWorker({ session: answering(() => ({ text: "done" })), maxDeaths: 3 });
  expect(await ended(job.id)).toMatchObject({ outcome: "failed", error: expect.stringContaining("3 workers have died") });
  expect(await ended(next.id)).toMatchObject({ outcome: "completed" });
});

test("jobs that were taken without the worker's knowledge, because the answer was lost, are run", async () => {
  const { queue, startWorker, answering, ended, openStore } = await openWorkshop();
  const job = await queue.enqueue({ prompt: "Hello" });
  const store = openStore();
  expect(await new Claims(queue.engine, store.parts.presence.owner).take(10)).toHaveLength(1);
  startWorker({ store, session: answering(() => ({ text: "done" })) });
  expect(await ended(job.id)).toMatchObject({ outcome: "completed" });
});

test("a claim that has lapsed ends nothing", async () => {
  const { queue, openStore } = await openWorkshop();
  const { presence } = openStore().parts;
  await presence.ensure();
  const job = await queue.enqueue({ prompt: "Hello" });
  const dead = new Claims(queue.engine, "2");
  const [claim] = await dead.take(1);
  if (!claim) throw new Error("There is no job.");
  const other = new Claims(queue.engine, presence.owner);
  await other.sweep([]);
  const [current] = await other.take(1);
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  await dead.settle(claim, { outcome: "completed", answer: "stale", tokens, costUsd: 0 });
  await dead.giveBack(claim, 0, "stale");
  expect(await queue.find(job.id)).toMatchObject({ state: "running" });
  expect(await other.sweep([job.id])).toEqual([]);
  expect(await dead.sweep([job.id])).toEqual([job.id]);
  if (current) await other.settle(current, { outcome: "completed", answer: "right", tokens, costUsd: 0 });
  expect(await queue.find(job.id)).toMatchObject({ state: "ended", result: { answer: "right" } });
});

test("above its memory limit a worker runs one job at a time", async () => {
  const { queue, startWorker, answering, ended } = await openWorkshop();
  const jobs = await queue.enqueueAll(["one", "two", "three"].map((prompt): JobRequest => ({ prompt })));
  const running: number[] = [];
  const worker = startWorker({
    maxMemoryMb: 1,
    session: answering(() => {
      running.push(worker.running);
      return { text: "done" };
    }),
  });
  await Promise.all(jobs.map(({ id }) => ended(id)));
  expect(running).toEqual([1, 1, 1]);
});

test("many jobs are added at once, in order for each session, and a queue can use the connections of a store", async () => {
  const { answering, ended, openStore, readStory, startWorker } = await openWorkshop();
  const store = openStore();
  const queue = await openWorkQueue({ store, name: "other" });
  const requests = Array.from({ length: 30 }, (_, index): JobRequest => ({ sessionId: `s-${index % 3}`, prompt: `${index}` }));
  const jobs = await queue.enqueueAll([...requests, { prompt: "keyed", key: "k" }, { prompt: "keyed", key: "k" }]);
  expect(new Set(jobs.map(({ id }) => id)).size).toBe(31);
  expect(jobs.slice(-2).map(({ isNew }) => isNew)).toEqual([true, false]);
  const worker = startWorker({ store, queue, session: answering(() => ({ text: "done" })) });
  await Promise.all(jobs.map(({ id }) => ended(id)));
  const prompts = (await readStory("s-1")).filter((line) => line.startsWith("user:"));
  expect(prompts).toEqual(Array.from({ length: 10 }, (_, index) => `user: ${index * 3 + 1}`));
  await worker.stop();
  await queue.close();
});

test("a run is aborted at its deadline", async () => {
  const { queue, startWorker, answering, ended } = await openWorkshop();
  const job = await queue.enqueue({ prompt: "Hello", deadline: new Date(Date.now() - 1) });
  // A second attempt may find that the run was complete in time, so it looks.
  await new Claims(queue.engine, "2").take(1);
  startWorker({ session: answering([{ text: "never said", delayMs: 3_600_000 }]) });
  expect(await ended(job.id)).toMatchObject({ outcome: "expired", error: "The deadline has passed." });
});
