import { until, watchEventLoop } from "@pikit/test-kit";
import { type HeldClock, holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { isRpcError, RpcCommandError, RpcProtocolError, RpcTimeoutError } from "../src/index.ts";
import { errorOf, startClient } from "./helpers/clients.ts";

test.each([
  ["dies in the middle of an answer", "getMessages", { exitCode: 5, signal: null, stderrTail: "out of memory\n" }],
  ["is killed", "abort", { exitCode: null, signal: "SIGKILL", stderrTail: "" }],
  ["closes its output and lives on", "abortBash", { exitCode: null, signal: "SIGTERM" }],
] as const)(
  "RC-002 when the agent %s, everything that waits rejects, and later calls reject at once",
  async (_, method, details) => {
    const client = await startClient("dies", { stopGraceMs: 60_000, requestTimeoutMs: 0 });
    const clock = holdClock();
    const next = client.events().next();
    const waiting = Promise.all([client.promptAndWait("Hi"), client[method](), client.bash("sleep 9"), next].map(errorOf));
    if (method === "abortBash") await passGrace(clock);
    const errors = await waiting;
    expect(errors[0]).toMatchObject({ code: "exited", ...details });
    expect(new Set(errors).size).toBe(1);
    for (let call = 0; call < 3; call++) expect(await errorOf(client.prompt("Hi"))).toBe(errors[0]);
    expect(await errorOf(client.events().next())).toBe(errors[0]);
  },
);

test("RC-002 an agent that closes its input and lives on is ended at the next command", async () => {
  const client = await startClient("dies", { stopGraceMs: 60_000, requestTimeoutMs: 0 });
  const clock = holdClock();
  await client.newSession();
  const prompt = errorOf(client.prompt("Hi"));
  await passGrace(clock);
  expect(await prompt).toMatchObject({ code: "exited", signal: "SIGTERM" });
});

/** Lets the grace pass that an agent has to end by itself, once it has begun. */
async function passGrace(clock: HeldClock): Promise<void> {
  await until("the client waits for the end of the agent", () => clock.timers === 1);
  clock.pass(60_000);
}

test("RC-003 answers find their command in any order; a second answer is noise", async () => {
  const noise: string[] = [];
  await using client = await startClient("answers-out-of-order", { onNoise: (line) => noise.push(line) });
  const texts = Promise.all([client.getLastAssistantText(), client.getLastAssistantText(), client.getLastAssistantText()]);
  await client.abort();
  expect(await texts).toEqual(["4", "5", "6"]);
  // Its answer comes after all of theirs.
  await client.getState();
  expect(noise.map((line) => JSON.parse(line))).toMatchObject(["7", "6", "5", "4"].map((id) => ({ id, data: { text: "again" } })));
});

test("RC-003 noise on stdout and answers to nothing are reported and never thrown", async () => {
  const noise: string[] = [];
  const events: unknown[] = [];
  await using client = await startClient("prints-garbage", { onNoise: (line) => noise.push(line) });
  client.onEvent((event) => events.push(event));
  expect(await client.getLastAssistantText()).toBe("fine");
  expect(noise).toEqual([
    "Debugger attached.",
    "{broken",
    "42",
    "null",
    "[]",
    '{"no":"type"}',
    '{"type":"message_start"}',
    "\u0000\ufffd",
    "\ufffd\ufffd",
    '{"id":"never asked","type":"response","command":"abort","success":true}',
    '{"type":"response","command":"abort","success":true}',
  ]);
  expect(events).toEqual([]);
  const error = await errorOf(client.abort());
  expect(error).toBeInstanceOf(RpcProtocolError);
  expect(error).toMatchObject({ code: "bad_record" });
});

test("RC-003 a line that says that the agent is ready, and output of no command of ours, are neither noise nor events", async () => {
  const noise: string[] = [];
  const events: string[] = [];
  await using client = await startClient("puppet", { onNoise: (line) => noise.push(line) });
  client.onEvent(({ type }) => events.push(type));
  await client.prompt(
    JSON.stringify([
      { type: "ready", protocolVersion: 1, version: "1.0.0" },
      { type: "bash_execution_update", delta: "x" },
    ]),
  );
  await client.getState();
  expect([noise, events]).toEqual([[], []]);
});

test("RC-003 RC-004 a late answer is noise, and the next command is answered", async () => {
  const noise: string[] = [];
  await using client = await startClient("plain", { onNoise: (line) => noise.push(line) });
  const clock = holdClock();
  const late = errorOf(client.bash("late", { timeoutMs: 60_000 }));
  clock.pass(60_000);
  const error = await late;
  expect(error).toBeInstanceOf(RpcTimeoutError);
  expect(error).toMatchObject({ code: "timeout", command: "bash", timeoutMs: 60_000 });
  expect(await client.bash("in time")).toEqual({ output: "in time" });
  expect(noise.map((line) => JSON.parse(line).data)).toEqual([{ output: "late" }]);
});

test("RC-004 each command has its own timeout; bash has none", async () => {
  await using client = await startClient("plain", { requestTimeoutMs: 60_000 });
  const clock = holdClock();
  const slow = client.bash("late");
  const messages = errorOf(client.getMessages());
  const quick = errorOf(client.send("get_messages", {}, { timeoutMs: 10_000 }));
  clock.pass(10_000);
  expect(await quick).toMatchObject({ timeoutMs: 10_000 });
  expect(clock.timers).toBe(1);
  clock.pass(50_000);
  expect(await messages).toMatchObject({ timeoutMs: 60_000 });
  expect(await client.bash("ls")).toEqual({ output: "ls" });
  expect(await slow).toEqual({ output: "late" });
});

test("RC-008 a refused command rejects with its name and the agent's text", async () => {
  await using client = await startClient("plain");
  const error = await errorOf(client.setModel("acme", "none"));
  expect(error).toBeInstanceOf(RpcCommandError);
  expect(error).toMatchObject({
    code: "command_failed",
    command: "set_model",
    reason: "Model not found: acme/none",
    message: 'The agent refused "set_model": Model not found: acme/none',
  });
  expect(isRpcError(error)).toBe(true);
  expect(isRpcError(new Error("other"))).toBe(false);
});

test("RC-009 stderr without end stops nobody, and only its end is kept", async () => {
  const client = await startClient("floods-stderr");
  const error = (await errorOf(client.abort())) as { stderrTail: string; message: string };
  expect(error).toMatchObject({ code: "exited", exitCode: 9 });
  expect(error.stderrTail).toHaveLength(16_384);
  expect(error.stderrTail.endsWith("noise\nthe last words\n")).toBe(true);
  expect(error.message.length).toBeLessThan(2_200);
});

test("RC-010 large commands arrive whole and in order at an agent that reads late, and the client stays awake meanwhile", async () => {
  await using client = await startClient("reads-late");
  const watch = watchEventLoop();
  const sizes = [16_000_000, 10, 4_000_000];
  const answers = await Promise.all(
    sizes.map((size, index) => client.setModel("big", `${"é".repeat(size - 10)}${index}`.padEnd(size, "."))),
  );
  const { turns } = watch.stop();
  expect(answers.map(({ id, name }) => [Number(id), name])).toEqual(sizes.map((size, index) => [size, `${index}.........`]));
  expect(turns).toBeGreaterThan(5);
});

test("RC-010 records arrive whole from single bytes, with CRLF, foreign line breaks, and without a last line ending", async () => {
  const noise: string[] = [];
  await using client = await startClient("writes-pieces", { onNoise: (line) => noise.push(line) });
  expect(await client.getLastAssistantText()).toBe("a\u2028b\u0085ç€😀");
  expect(await client.setModel("any", "\u2028\u0085\n")).toEqual({ id: "\u2028\u0085\n" });
  await client.abort();
  expect(noise).toEqual([]);
});

test("RC-010 a command that no agent would read is refused before it is sent", async () => {
  await using client = await startClient("plain");
  const error = await errorOf(client.prompt("x".repeat(64 * 1024 * 1024)));
  expect(error).toMatchObject({ code: "too_long", message: expect.stringContaining('"prompt"') });
  await client.getState();
});

test("RC-010 an answer that is too long to be read rejects what waits, and the next command is answered", async () => {
  await using client = await startClient("writes-too-much");
  const error = await errorOf(client.getMessages());
  expect(error).toBeInstanceOf(RpcProtocolError);
  expect(error).toMatchObject({ code: "too_long" });
  expect(await client.getState()).toEqual({ streamMode: "deltas" });
});
