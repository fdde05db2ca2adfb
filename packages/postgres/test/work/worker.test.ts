import { expect, test } from "vitest";
import { openWorkshop } from "./helpers.ts";

test("a job is a prompt to a session, and its result can be read by everybody", async () => {
  const { queue, startWorker, answering, ended, readStory, problems } = await openWorkshop();
  const job = await queue.enqueue({ prompt: "Hello" });
  expect(job).toEqual({ id: expect.any(String), sessionId: expect.any(String), isNew: true });
  expect(await queue.find(job.id)).toMatchObject({ state: "waiting", request: { prompt: "Hello" } });
  startWorker({ session: answering([{ text: "Hi!" }]) });
  const result = await ended(job.id);
  expect(result).toMatchObject({ outcome: "completed", answer: "Hi!" });
  expect(await queue.find(job.id)).toMatchObject({ state: "ended", result, endedAt: expect.any(Date) });
  expect(await readStory(job.sessionId)).toEqual(["user: Hello", "assistant: Hi!"]);
  expect(problems).toEqual([]);
});

test("jobs of a session run one after another, those of different sessions side by side", async () => {
  const { queue, startWorker, answering, ended, readStory } = await openWorkshop();
  const first = await queue.enqueue({ sessionId: "s-1", prompt: "one" });
  const second = await queue.enqueue({ sessionId: "s-1", prompt: "two", priority: 10 });
  const third = await queue.enqueue({ sessionId: "s-1", prompt: "three" });
  const other = await queue.enqueue({ sessionId: "s-2", prompt: "other" });
  // Both sessions are open at the same time, or neither answers.
  const bothCalled = Promise.withResolvers<void>();
  let calls = 0;
  const script = async () => {
    calls += 1;
    if (calls === 2) bothCalled.resolve();
    await bothCalled.promise;
    return { text: "done" };
  };
  startWorker({ session: answering(script) });
  await Promise.all([first, second, third, other].map(({ id }) => ended(id)));
  const answer = "assistant: done";
  expect(await readStory("s-1")).toEqual(["user: one", answer, "user: two", answer, "user: three", answer]);
  expect((await queue.jobsOf("s-1")).map(({ state, request }) => [state, request.prompt])).toEqual([
    ["ended", "one"],
    ["ended", "two"],
    ["ended", "three"],
  ]);
});

test("a key makes a job unique, also after its end", async () => {
  const { queue, startWorker, answering, ended, readStory } = await openWorkshop();
  const job = await queue.enqueue({ prompt: "Hello", key: "order 1\0\ud800" });
  const again = await queue.enqueue({ prompt: "Something else", key: "order 1\0\ud800" });
  expect(again).toEqual({ ...job, isNew: false });
  expect(queue.idOf("order 1\0\ud800")).toBe(job.id);
  startWorker({ session: answering([{ text: "Hi!" }]) });
  await ended(job.id);
  expect(await queue.enqueue({ prompt: "Hello", key: "order 1\0\ud800" })).toEqual({ ...job, isNew: false });
  expect(await readStory(job.sessionId)).toEqual(["user: Hello", "assistant: Hi!"]);
});

test("a job that waits can be cancelled, and a running one is aborted", async () => {
  const { queue, startWorker, answering, ended, readStory } = await openWorkshop();
  const called = Promise.withResolvers<void>();
  const running = await queue.enqueue({ sessionId: "s-1", prompt: "long" });
  const waiting = await queue.enqueue({ sessionId: "s-1", prompt: "never" });
  const last = await queue.enqueue({ sessionId: "s-1", prompt: "last" });
  startWorker({
    session: answering(({ messages }) => {
      const prompt = messages.at(-1)?.content;
      if (prompt !== "long") return { text: "done" };
      called.resolve();
      return { text: "never said", delayMs: 3_600_000 };
    }),
  });
  await called.promise;
  expect(await queue.cancel(waiting.id)).toBe(true);
  expect(await queue.cancel(running.id)).toBe(true);
  await ended(last.id);
  expect(await queue.find(running.id)).toMatchObject({ state: "cancelled" });
  expect(await queue.find(waiting.id)).toMatchObject({ state: "cancelled" });
  expect(await queue.cancel(last.id)).toBe(false);
  for (const id of ["00000000-0000-4000-8000-000000000000", "no id"]) {
    expect(await queue.cancel(id)).toBe(false);
    expect(await queue.find(id)).toBeUndefined();
  }
  const story = await readStory("s-1");
  expect(story.filter((line) => line.startsWith("user"))).toEqual(["user: long", "user: last"]);
});

test("a job that is late does not run, and a delayed one waits", async () => {
  const { queue, startWorker, answering, ended } = await openWorkshop();
  const late = await queue.enqueue({ prompt: "Hello", deadline: new Date(Date.now() - 1) });
  const delayed = await queue.enqueue({ prompt: "Hello", startAfter: new Date(Date.now() + 3_600_000) });
  const now = await queue.enqueue({ prompt: "Hello" });
  startWorker({ session: answering([{ text: "Hi!" }]) });
  expect(await ended(late.id)).toMatchObject({ outcome: "expired", error: "The deadline had passed before the start." });
  await ended(now.id);
  expect(await queue.find(delayed.id)).toMatchObject({ state: "waiting" });
  expect(await queue.counts()).toEqual({ waiting: 1, running: 0 });
});

test("the options of the job are those of its session, and failures are results", async () => {
  const { queue, startWorker, cwd, ended } = await openWorkshop();
  const noModel = await queue.enqueue({ prompt: "Hello", options: { model: "nobody/has-this" } });
  startWorker({ session: { cwd, agentDir: `${cwd}/.agent` } });
  expect(await ended(noModel.id)).toMatchObject({ outcome: "failed", error: expect.stringContaining("nobody/has-this") });
});

test("jobs of other sessions start by their priority, and a delayed one when its time has come", async () => {
  const { queue, startWorker, answering, ended } = await openWorkshop();
  const jobs = await queue.enqueueAll([
    { prompt: "delayed", startAfter: new Date(Date.now() + 1_500), priority: 100 },
    { prompt: "low", priority: -1 },
    { prompt: "normal" },
    { prompt: "high", priority: 1 },
  ]);
  const started: unknown[] = [];
  const session = answering(({ messages }) => {
    started.push(messages.at(-1)?.content);
    return { text: "done" };
  });
  startWorker({ concurrency: 1, session });
  await Promise.all(jobs.map(({ id }) => ended(id)));
  expect(started.filter((prompt) => prompt !== "delayed")).toEqual(["high", "normal", "low"]);
  expect(started).toHaveLength(4);
});
