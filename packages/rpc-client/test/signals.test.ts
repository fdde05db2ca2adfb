import { getEventListeners } from "node:events";
import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { errorOf, startClient } from "./helpers/clients.ts";

test("a command whose signal is aborted rejects at once; one that was aborted before is not sent", async () => {
  const noise: string[] = [];
  await using client = await startClient("works-long", { onNoise: (line) => noise.push(line) });
  const controller = new AbortController();
  const { signal } = controller;
  const open = errorOf(client.getMessages({ signal }));
  controller.abort("no time");
  expect(await open).toMatchObject({ name: "RpcAbortError", code: "aborted", command: "get_messages", cause: "no time" });
  for (const call of [client.getState({ signal }), client.prompt("", { signal }), client.promptAndWait("", { signal })]) {
    expect(await errorOf(call)).toMatchObject({ code: "aborted" });
  }
  for (const call of [client.bash("", { signal }), client.compact({ signal }), client.setTools([], { signal })]) {
    expect(await errorOf(call)).toMatchObject({ code: "aborted" });
  }
  await client.getState();
  expect(noise).toEqual([]);
});

test.each([true, false])("the signal of a prompt stops its run, also after it was accepted (waited for: %s)", async (isWaited) => {
  await using client = await startClient("works-long");
  const controller = new AbortController();
  const { signal } = controller;
  const settled = new Promise((resolve) => client.onEvent("agent_settled", resolve));
  const started = new Promise((resolve) => client.onEvent("agent_start", resolve));
  const sent = isWaited ? client.promptAndWait("Go", { signal }) : client.prompt("Go", { signal });
  await started;
  if (!isWaited) await sent;
  controller.abort();
  await settled;
  expect(await sent).toEqual(isWaited ? [{ role: "user", content: "stopped", timestamp: 1 }] : undefined);
  await new Promise(setImmediate);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("bash tells its output as it comes, each command its own; its signal ends it with a result", async () => {
  await using client = await startClient("works-long");
  const controller = new AbortController();
  const output: string[] = [];
  const onOutput = (delta: string) => {
    output.push(delta);
    if (output.length === 4) controller.abort();
  };
  const [first, second] = await Promise.all([
    client.bash("a", { onOutput, signal: controller.signal }),
    client.bash("b", { onOutput }),
    client.bash("c"),
  ]);
  expect(output).toEqual(["a one\n", "a two\n", "b one\n", "b two\n"]);
  expect([first, second]).toMatchObject([
    { output: "a", cancelled: true },
    { output: "b", cancelled: true },
  ]);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("the signal of a compaction stops it, and it rejects with what the agent says", async () => {
  await using client = await startClient("works-long", { requestTimeoutMs: 60_000 });
  const clock = holdClock();
  const controller = new AbortController();
  const compaction = errorOf(client.compact({ signal: controller.signal, customInstructions: "Brief" }));
  // It has no timeout, unlike this.
  const messages = errorOf(client.getMessages());
  clock.pass(60_000);
  expect(await messages).toMatchObject({ code: "timeout" });
  controller.abort();
  expect(await compaction).toMatchObject({ code: "command_failed", reason: "Compaction aborted" });
});

test("no listener is left on a signal when its call is answered, refused, or cut off", async () => {
  const client = await startClient("works-long");
  const clock = holdClock();
  const { signal } = new AbortController();
  const open = errorOf(client.getMessages({ signal, timeoutMs: 0 }));
  const running = client.prompt("Go", { signal });
  await Promise.all([running, client.getState({ signal }), client.steer("x", { signal, timeoutMs: 60_000 })]);
  const late = errorOf(client.getMessages({ signal, timeoutMs: 60_000 }));
  clock.pass(60_000);
  expect(await late).toMatchObject({ code: "timeout" });
  await client.stop();
  expect(await open).toMatchObject({ code: "stopped" });
  await new Promise(setImmediate);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("timeoutMs of promptAndWait and text bounds the whole run: it is aborted, and the agent is free again", async () => {
  await using client = await startClient("works-long");
  const clock = holdClock();
  const seen: string[] = [];
  client.onEvent(({ type }) => void seen.push(type));
  const read = async () => {
    for await (const _ of client.text("Go", { timeoutMs: 60_000 }));
  };
  for (const run of [() => client.promptAndWait("Go", { timeoutMs: 60_000 }), read]) {
    seen.length = 0;
    const started = new Promise((resolve) => client.onEvent("agent_start", resolve));
    const late = errorOf(run());
    await started;
    clock.pass(59_999);
    await client.getState();
    expect(seen).not.toContain("agent_settled");
    clock.pass(1);
    expect(await late).toMatchObject({ name: "RpcTimeoutError", code: "timeout", command: "prompt", timeoutMs: 60_000 });
    expect(seen.at(-1)).toBe("agent_settled");
  }
  const again = client.promptAndWait("Go");
  await client.abort();
  expect(await again).toMatchObject([{ content: "stopped" }]);
});
