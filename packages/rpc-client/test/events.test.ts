import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import type { RpcEvent } from "../src/index.ts";
import { errorOf } from "./helpers/clients.ts";
import { answer, delta, end, playing, run, settled, start, user } from "./helpers/records.ts";

test("RC-007 a run that ends before its prompt is answered is not missed", async () => {
  await using client = await playing([...run("fast"), "accept"], [...run("faster"), "accept"]);
  expect(await client.promptAndWait("1")).toEqual([user("fast")]);
  expect(await client.promptAndWait("2")).toEqual([user("faster")]);
});

test("RC-007 the wait outlasts retries and compactions inside the run and after it", async () => {
  const retry = [{ type: "auto_retry_start", attempt: 1 }, { type: "turn_start" }, { type: "auto_retry_end", success: true }];
  const compaction = [{ type: "auto_compaction_start" }, { type: "auto_compaction_end" }];
  await using client = await playing(["accept", start, ...retry, end("done"), ...compaction, settled]);
  const types: string[] = [];
  client.onEvent(({ type }) => types.push(type));
  expect(await client.promptAndWait("Hi")).toEqual([user("done")]);
  expect(types.at(-1)).toBe("agent_settled");
});

test("RC-007 the last events of an earlier run are not taken for those of the prompt's own", async () => {
  await using client = await playing(["accept", start], [end("first"), settled, "accept", ...run("second")]);
  await client.prompt("1");
  expect(await client.promptAndWait("2", { streamingBehavior: "followUp" })).toEqual([user("second")]);
});

test("RC-007 a prompt that joins a run waits for that run", async () => {
  await using client = await playing(["accept", start], ["accept", end("both"), settled]);
  const both = await Promise.all([client.promptAndWait("1"), client.promptAndWait("2", { streamingBehavior: "steer" })]);
  expect(both).toEqual([[user("both")], [user("both")]]);
});

test("RC-007 two prompts sent at once wait for their own runs", async () => {
  await using client = await playing(["accept", ...run("first")], ["accept", ...run("second")]);
  const both = await Promise.all([client.promptAndWait("1"), client.promptAndWait("2")]);
  expect(both).toEqual([[user("first")], [user("second")]]);
});

test("RC-007 the wait rejects when the agent exits, refuses the prompt, or settles without messages", async () => {
  await using client = await playing(["refuse"], ["accept", start, settled], ["accept", start, end("lost"), "exit"]);
  expect(await errorOf(client.promptAndWait("1"))).toMatchObject({ code: "command_failed", reason: "busy" });
  expect(await errorOf(client.promptAndWait("2"))).toMatchObject({ code: "bad_record" });
  expect(await errorOf(client.promptAndWait("3"))).toMatchObject({ code: "exited", exitCode: 7 });
});

test("RC-008 what fails after a prompt was accepted is told by events", async () => {
  const failure = { ...answer([]), stopReason: "error", errorMessage: "overloaded" };
  await using client = await playing(["accept", start, { ...end(""), messages: [failure] }, settled]);
  expect(await client.promptAndWait("Hi")).toMatchObject([{ stopReason: "error", errorMessage: "overloaded" }]);
});

test("events() gives every event since its call in order, and ends when the agent is stopped", async () => {
  const client = await playing(["accept", ...run("one")], ["accept", ...run("two")]);
  const early = client.events();
  await client.promptAndWait("1");
  const late = client.events();
  await client.promptAndWait("2");
  await client.stop();
  expect(await all(early)).toEqual([...run("one"), ...run("two")]);
  expect(await all(late)).toEqual(run("two"));
  expect(await all(client.events())).toEqual([]);
});

test("events() gives what had arrived and then throws when the agent crashes; a waiting reader is told at once", async () => {
  await using client = await playing(["accept", start, "exit"]);
  const read = client.events();
  const waiting = client.events();
  const first = waiting.next();
  await client.prompt("Hi");
  expect(await first).toEqual({ value: start, done: false });
  const crash = await errorOf(waiting.next());
  expect(crash).toMatchObject({ code: "exited", exitCode: 7 });
  expect(await read.next()).toEqual({ value: start, done: false });
  expect(await errorOf(read.next())).toBe(crash);
  expect(await read.next()).toEqual({ value: undefined, done: true });
});

test("no listener is left on the signal of an iterator that ended, however it ended", async () => {
  const client = await playing(["accept", start, "exit"]);
  const { signal } = new AbortController();
  const crashed = client.events({ signal });
  await client.events({ signal }).return?.();
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await client.prompt("Hi");
  await errorOf(all(crashed));
  await crashed.return?.();
  expect(await crashed.next()).toEqual({ value: undefined, done: true });
  await errorOf(all(client.events({ signal })));
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("leaving the loop over events() ends the subscription", async () => {
  await using client = await playing(["accept", ...run("one")], ["accept", ...run("two")]);
  const events = client.events();
  await client.prompt("1");
  for await (const event of events) if (event.type === "agent_end") break;
  await client.promptAndWait("2");
  expect(await events.next()).toEqual({ value: undefined, done: true });
});

test("a listener stays over a restart until it unsubscribes, and one that throws keeps nobody from the events", async () => {
  const raised = vi.fn();
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").once("uncaughtException", raised);
  const client = await playing(["accept", ...run("one")]);
  const types: string[] = [];
  const stopThrowing = client.onEvent(() => {
    stopThrowing();
    throw new Error("a listener's mistake");
  });
  const unsubscribe = client.onEvent(({ type }) => types.push(type));
  await client.promptAndWait("1");
  await client.stop();
  await client.start();
  await client.promptAndWait("1");
  unsubscribe();
  await client.stop();
  for (const listener of others) process.on("uncaughtException", listener);
  expect(types).toEqual([...run("one"), ...run("one")].map(({ type }) => type));
  expect(raised.mock.calls.map(([error]) => error.message)).toEqual(["a listener's mistake"]);
});

test("answers of deltas mode arrive as snapshots", async () => {
  const first = answer([]);
  const last = answer([{ type: "text", text: "Hi!" }]);
  await using client = await playing([
    "accept",
    start,
    { type: "message_start", message: first },
    delta({ type: "text_start", contentIndex: 0 }),
    delta({ type: "text_delta", contentIndex: 0, delta: "Hi" }),
    delta({ type: "text_end", contentIndex: 0, content: "Hi!" }),
    { type: "message_end", message: last },
    end("done"),
    settled,
  ]);
  const events: RpcEvent[] = [];
  client.onEvent((event) => events.push(event));
  await client.promptAndWait("Hello");
  const partials = [first, answer([{ type: "text", text: "" }]), answer([{ type: "text", text: "Hi" }]), last];
  const [p0, p1, p2, p3] = partials;
  expect(events.slice(1, -2)).toEqual([
    { type: "message_start", message: first },
    { type: "message_update", message: p0, assistantMessageEvent: { type: "start", partial: p0 } },
    { type: "message_update", message: p1, assistantMessageEvent: { type: "text_start", contentIndex: 0, partial: p1 } },
    {
      type: "message_update",
      message: p2,
      assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "Hi", partial: p2 },
    },
    {
      type: "message_update",
      message: p3,
      assistantMessageEvent: { type: "text_end", contentIndex: 0, content: "Hi!", partial: p3 },
    },
    { type: "message_update", message: last, assistantMessageEvent: { type: "done", reason: "stop", message: last } },
    { type: "message_end", message: last },
  ]);
});

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}
