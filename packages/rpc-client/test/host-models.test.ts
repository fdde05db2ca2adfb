import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { expect, onTestFinished, test } from "vitest";
import { type ClientModel, HostModels } from "../src/host-models.ts";
import { type ModelCall, type ModelFunction, type ModelOutput, RpcClient } from "../src/index.ts";

const frame = (id: string, modelId = "x") => ({
  type: "host_model_call",
  id,
  modelId,
  context: { messages: [], tools: [] },
  options: {},
});
const stop = { stopReason: "stop" } as const;
const whole = (text: string) => ({ ...stop, content: [{ type: "text" as const, text }] });
const model = (run: ModelFunction, id = "x"): ClientModel => ({ id, model: run });
const told = async () => undefined;

/** The models of a program, and what it sends. */
function setUp({ isShared = false } = {}) {
  const sent: Record<string, unknown>[] = [];
  let wake = () => {};
  const models = new HostModels({
    send(record) {
      if (JSON.stringify(record).length > 10_000) throw new Error("A record is too long.");
      sent.push(record);
      wake();
    },
    isShared: () => isShared,
  });
  const until = async (count: number) => {
    while (sent.length < count) await new Promise<void>((resolve) => (wake = resolve));
    return sent;
  };
  return { models, sent, until };
}

test("a function that streams, and one that returns a message, answer with frames", async () => {
  const { models, until } = setUp();
  const calls: ModelCall[] = [];
  async function* streams(call: ModelCall): AsyncGenerator<ModelOutput> {
    calls.push(call);
    yield { type: "text_start", contentIndex: 0 };
    yield { usage: { input: 3 } };
    yield { type: "text_end", contentIndex: 0, content: "Hi" };
    yield stop;
  }
  await models.replace([model(streams), model(() => whole("Hello"), "y")], told);
  models.onCall(frame("m1"));
  expect(await until(4)).toEqual([
    { type: "host_model_event", id: "m1", event: { type: "text_start", contentIndex: 0 } },
    { type: "host_model_event", id: "m1", usage: { input: 3 } },
    { type: "host_model_event", id: "m1", event: { type: "text_end", contentIndex: 0, content: "Hi" } },
    { type: "host_model_result", id: "m1", ...stop },
  ]);
  expect(calls).toMatchObject([{ modelId: "x", context: { messages: [], tools: [] }, options: {}, signal: { aborted: false } }]);
  models.onCall(frame("m2", "y"));
  expect((await until(5)).at(-1)).toEqual({ type: "host_model_result", id: "m2", ...whole("Hello") });
});

test("what is thrown is the error of the call, with its flags", async () => {
  const { models, until } = setUp();
  const fail = () => Promise.reject(Object.assign(new Error("Busy"), { retryable: true, overflow: false }));
  await models.replace([model(fail)], told);
  models.onCall(frame("m1"));
  expect(await until(1)).toEqual([{ type: "host_model_error", id: "m1", message: "Busy", retryable: true }]);
});

test("a frame that is too long is an error of the call, and ends it", async () => {
  const { models, until } = setUp();
  const signals: ModelCall["signal"][] = [];
  const run: ModelFunction = async function* ({ signal }) {
    signals.push(signal);
    yield { type: "text_start", contentIndex: 0 };
    yield { type: "text_delta", contentIndex: 0, delta: "x".repeat(20_000) };
    yield stop;
  };
  await models.replace([model(run)], told);
  models.onCall(frame("m1"));
  expect((await until(2))[1]).toEqual({ type: "host_model_error", id: "m1", message: "A record is too long.", retryable: false });
  expect(signals).toMatchObject([{ aborted: true }]);
});

test("a cancelled call is aborted and sends nothing more; so are all when the agent is gone", async () => {
  const { models, sent } = setUp();
  const running: ModelCall["signal"][] = [];
  const ends: Promise<void>[] = [];
  const run: ModelFunction = ({ signal }) => {
    running.push(signal);
    const ended = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    ends.push(ended);
    return ended.then(() => whole("Late"));
  };
  await models.replace([model(run)], told);
  for (const id of ["m1", "m2", "m3"]) models.onCall(frame(id));
  models.onCancel({ targetId: "m1" });
  expect(running.map(({ aborted }) => aborted)).toEqual([true, false, false]);
  models.endAll(new Error("gone"));
  await Promise.all(ends);
  await new Promise(setImmediate);
  expect([running.map(({ aborted }) => aborted), sent]).toEqual([[true, true, true], []]);
});

test("a call of an unknown model is refused; in a shared session it waits for this program's models, or for its end", async () => {
  const alone = setUp();
  alone.models.onCall(frame("m1", "z"));
  expect(alone.sent).toEqual([{ type: "host_model_error", id: "m1", message: 'This program has no model "z".', retryable: false }]);
  const shared = setUp({ isShared: true });
  for (const id of ["m1", "m2"]) shared.models.onCall(frame(id));
  shared.models.onCancel({ targetId: "m1" });
  await shared.models.replace([model(() => whole("Mine"))], told);
  expect(await shared.until(1)).toEqual([{ type: "host_model_result", id: "m2", ...whole("Mine") }]);
});

test("models that are refused leave the former ones; a frame without the fields of a call is noise", async () => {
  const { models, until } = setUp();
  await models.replace([model(() => whole("Old"))], told);
  await expect(models.replace([model(() => whole("New"))], () => Promise.reject(new Error("No")))).rejects.toThrow("No");
  expect(() => models.onCall({ type: "host_model_call", id: "m1" })).toThrow(TypeError);
  models.onCall(frame("m1"));
  expect(await until(1)).toMatchObject([whole("Old")]);
});

test("a real agent runs a turn with a tool on a model of the AI SDK, chosen before the start", async () => {
  const answers = [
    [
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "A command." },
      { type: "reasoning-end", id: "0" },
      { type: "tool-call", toolCallId: "c1", toolName: "bash", input: '{"command":"echo $((6*7))"}' },
    ],
    [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "It is 42." },
      { type: "text-end", id: "0" },
    ],
  ];
  const prompts: unknown[] = [];
  const fake = {
    ...{ specificationVersion: "v4", provider: "test", modelId: "m", supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error("not used")),
    async doStream({ prompt }: { prompt: unknown[] }) {
      const usage = { inputTokens: { total: 10 }, outputTokens: { total: 5 } };
      const finish = { type: "finish", usage, finishReason: { unified: "stop", raw: undefined } };
      const parts = [...(answers[prompts.push(prompt) - 1] ?? []), finish];
      const start = (controller: ReadableStreamDefaultController<object>) => {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      };
      return { stream: new ReadableStream({ start }) };
    },
  } as unknown as LanguageModelV4;
  const folder = mkdtempSync(join(tmpdir(), "rpc-client-models-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await using client = new RpcClient({ model: "host/m", noSession: true, cwd: folder, env: { PI_CODING_AGENT_DIR: folder } });
  expect(await client.setModels([{ id: "m", reasoning: true, cost: { input: 1e6 }, model: fake }])).toEqual([]);
  await client.start();
  const messages = await client.promptAndWait("What is 6 times 7?");
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  expect(messages.at(-1)).toMatchObject({ provider: "host", model: "m", content: [{ type: "text", text: "It is 42." }] });
  expect(prompts[1]).toMatchObject([
    { role: "system" },
    { role: "user" },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "A command." },
        { type: "tool-call", toolCallId: "c1" },
      ],
    },
    { role: "tool", content: [{ type: "tool-result", output: { type: "text", value: expect.stringContaining("42") } }] },
  ]);
  expect((await client.getSessionStats()).cost).toBe(20);
});
