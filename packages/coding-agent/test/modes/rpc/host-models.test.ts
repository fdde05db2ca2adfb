import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Model, stream } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { HostModels } from "../../../src/modes/rpc-session/host-models.ts";
import { createAgentSession } from "../../../src/session/assemble/create.ts";
import { hostModel, startHost } from "../../helpers/host.ts";
import { startRpc } from "../../helpers/rpc-process.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const textSteps = (delta: string, contentIndex = 0) => [
  { type: "text_start", contentIndex },
  { type: "text_delta", contentIndex, delta },
  { type: "text_end", contentIndex, content: delta },
];
const call = (name: string, args: object, id = "call_1") => ({ type: "toolCall", id, name, arguments: args });

describe("a run", () => {
  test("with thinking, tools, usage and cost works as with any provider", async () => {
    await workspace.write("work/notes.txt", "the secret is 7");
    const host = await startHost(workspace, {}, [{ ...hostModel, cost: { input: 10, output: 100 } }]);
    await host.prompt("Read notes.txt");
    const first = await host.nextCall();
    expect(first).toMatchObject({
      modelId: "x",
      context: { systemPrompt: expect.any(String), messages: [{ role: "user", content: expect.anything() }] },
      options: { reasoning: "medium", sessionId: host.session.sessionId },
    });
    const { tools } = first.context as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(["read", "bash", "edit", "write"]);
    host.answer(
      first,
      [
        { type: "thinking_start", contentIndex: 0 },
        { type: "thinking_delta", contentIndex: 0, delta: "I must " },
        { type: "thinking_delta", contentIndex: 0, delta: "look." },
        { type: "thinking_end", contentIndex: 0, thinkingSignature: "signed" },
        { type: "toolcall_start", contentIndex: 1, id: "call_1", toolName: "read" },
        { type: "toolcall_delta", contentIndex: 1, delta: '{"path":' },
        { type: "toolcall_delta", contentIndex: 1, delta: '"notes.txt"}' },
        { type: "toolcall_end", contentIndex: 1 },
      ],
      { stopReason: "toolUse", usage: { input: 1000, output: 20, cacheRead: 5 } },
    );
    const second = await host.nextCall();
    const { messages } = second.context as { messages: object[] };
    expect(messages.slice(1)).toEqual([
      expect.objectContaining({
        content: [{ type: "thinking", thinking: "I must look.", thinkingSignature: "signed" }, call("read", { path: "notes.txt" })],
      }),
      expect.objectContaining({
        role: "toolResult",
        toolCallId: "call_1",
        content: [{ type: "text", text: expect.stringContaining("the secret is 7") }],
      }),
    ]);
    expect(messages[2]).not.toHaveProperty("details");
    host.answer(second, textSteps("It is 7."), { stopReason: "stop", usage: { input: 2000, output: 4, cost: { total: 0.5 } } });
    await host.settled();
    expect(host.lastAnswer).toMatchObject({
      provider: "host",
      api: "host",
      model: "x",
      content: [{ type: "text", text: "It is 7." }],
    });
    expect(await host.ask({ type: "get_session_stats" })).toMatchObject({
      tokens: { input: 3000, output: 24, cacheRead: 5 },
      cost: expect.closeTo(0.01 + 0.002 + 0.5, 6),
    });
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "toolResult", "assistant"]);
    const steps = host.of("message_update").map(({ assistantMessageEvent }) => (assistantMessageEvent as { type: string }).type);
    expect(steps).toEqual(expect.arrayContaining(["thinking_start", "thinking_end", "toolcall_start", "toolcall_end", "text_end"]));
  });

  test("a host that does not stream sends the content alone", async () => {
    const host = await startHost(workspace);
    await host.prompt();
    host.say(await host.nextCall(), "All at once.", { usage: { input: 3 } });
    await host.settled();
    expect(host.lastAnswer).toMatchObject({
      content: [{ type: "text", text: "All at once." }],
      usage: { input: 3, totalTokens: 3 },
    });
  });

  test("a failure that may pass is tried again; another ends the run", async () => {
    const host = await startHost(workspace);
    await host.prompt();
    const first = await host.nextCall();
    host.send({ type: "host_model_error", id: first.id, message: "Come back later", retryable: true });
    host.say(await host.nextCall(), "Now.");
    await host.settled();
    expect(host.of("auto_retry_start")).toMatchObject([{ attempt: 1, errorMessage: "Come back later" }]);
    await host.prompt();
    host.send({ type: "host_model_error", id: (await host.nextCall()).id, message: "Not allowed", retryable: false });
    await host.settled(2);
    expect(host.lastAnswer).toMatchObject({ stopReason: "error", errorMessage: "Not allowed" });
  });

  test("an overflow is followed by a compaction, which the host writes, and by the call again", async () => {
    const host = await startHost(workspace, { compaction: { keepRecentTokens: 1 } });
    await host.prompt("One");
    host.say(await host.nextCall(), "First.");
    await host.settled();
    await host.prompt("Two");
    host.send({ type: "host_model_error", id: (await host.nextCall()).id, message: "Too much", overflow: true });
    const summary = await host.nextCall();
    expect(summary.context).toMatchObject({ systemPrompt: expect.stringContaining("memory"), tools: [] });
    host.say(summary, "They said one.", { usage: { input: 9 } });
    const again = await host.nextCall();
    expect(JSON.stringify(again.context)).toContain("They said one.");
    host.say(again, "Second.");
    await host.settled(2);
    expect(host.of("auto_compaction_end")).toMatchObject([{ reason: "overflow", willRetry: true }]);
    expect(host.lastAnswer).toMatchObject({ content: [{ text: "Second." }] });
  });

  test("a sub-task asks the host too", async () => {
    const host = await startHost(workspace, { tools: ["delegate"] });
    await host.prompt();
    const first = await host.nextCall();
    host.send({ type: "host_model_result", id: first.id, stopReason: "toolUse", content: [call("delegate", { task: "Count" })] });
    const inner = await host.nextCall();
    expect(JSON.stringify(inner.context)).toContain("Count");
    host.say(inner, "Three.");
    const outer = await host.nextCall();
    expect(JSON.stringify(outer.context)).toContain("Three.");
    host.say(outer, "Done.");
    await host.settled();
    expect(host.lastAnswer).toMatchObject({ content: [{ text: "Done." }] });
  });

  test("is recorded, and played back without the host", async () => {
    const record = join(workspace.root, "run.jsonl");
    const host = await startHost(workspace, { record, session: "memory" });
    await host.prompt("Look");
    host.send({
      type: "host_model_result",
      id: (await host.nextCall()).id,
      stopReason: "toolUse",
      content: [call("bash", { command: "echo lamp" })],
    });
    host.answer(await host.nextCall(), textSteps("A lamp."));
    await host.settled();
    expect(await readFile(record, "utf8")).toContain("host_model_event");
    await using played = await createAgentSession({
      cwd: workspace.cwd,
      agentDir: workspace.agentDir,
      model: `replay/${record}`,
      session: "memory",
    });
    await played.prompt("Look");
    expect(played.lastAssistantText()).toBe("A lamp.");
  });
});

describe("what is out of order", () => {
  test.each<[string, (id: unknown) => object[], string]>([
    [
      "a delta without a start",
      (id) => [{ type: "host_model_event", id, event: { type: "text_delta", contentIndex: 0, delta: "x" } }],
      "not an open text block",
    ],
    ["an event without a type", (id) => [{ type: "host_model_event", id, event: {} }], "no step of the stream mode"],
    ["a result without a stop reason", (id) => [{ type: "host_model_result", id }], 'expected "stop"'],
    ["an error without a message", (id) => [{ type: "host_model_error", id }], 'Field "message"'],
  ])("%s ends the run with an error that says so", async (_name, frames, said) => {
    const host = await startHost(workspace);
    await host.prompt();
    host.send(...frames((await host.nextCall()).id));
    await host.settled();
    expect(host.lastAnswer).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining(said) });
    expect(host.of("auto_retry_start")).toEqual([]);
  });

  test("late, doubled and unknown frames change nothing", async () => {
    const host = await startHost(workspace);
    for (const id of ["model_1", 5, null, "__proto__"]) host.send({ type: "host_model_result", id, stopReason: "stop" });
    await host.prompt();
    const first = await host.nextCall();
    host.say(first, "First.");
    host.say(first, "Second.");
    host.send(
      { type: "host_model_event", id: first.id, event: { type: "nonsense" } },
      { type: "host_model_error", id: first.id, message: "late" },
    );
    await host.settled();
    await host.ask({ type: "get_state" });
    expect(host.lastAnswer).toMatchObject({ content: [{ text: "First." }] });
    expect(host.of("response").filter(({ success }) => success === false)).toEqual([]);
    expect(host.of("host_model_cancel")).toEqual([]);
  });

  test("an abort cancels the call; what comes after it is ignored", async () => {
    const host = await startHost(workspace);
    await host.prompt();
    const first = await host.nextCall();
    host.send({ type: "host_model_event", id: first.id, event: { type: "text_start", contentIndex: 0 } });
    await host.waitFor(({ type }) => type === "message_update");
    await host.ask({ type: "abort" });
    expect(host.of("host_model_cancel")).toEqual([{ type: "host_model_cancel", id: expect.any(String), targetId: first.id }]);
    expect(host.lastAnswer).toMatchObject({ stopReason: "aborted" });
    host.say(first, "Late.");
    await host.prompt("Again");
    host.say(await host.nextCall(), "Now.");
    await host.settled(2);
    expect(host.lastAnswer).toMatchObject({ content: [{ text: "Now." }] });
  });

  test("a host that closes its end during a call ends the run, and all is stored", async () => {
    const host = await startHost(workspace);
    await host.prompt();
    await host.nextCall();
    await host.end();
    const ends = host.records.map(({ type }) => type).filter((type) => /^(agent_end|agent_settled|session_settled)$/.test(type));
    expect(ends).toEqual(["agent_end", "agent_settled", "session_settled"]);
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant"]);
  });

  test("a request that is longer than a line is not sent, and counts as too large", async () => {
    const sent: object[] = [];
    const [model] = new HostModels({ send: (frame) => void sent.push(frame) }).create([hostModel]);
    // In JSON, each of these characters has six.
    const message = { role: "user" as const, content: "\u0001".repeat(12_000_000), timestamp: 1 };
    const events = stream(model as Model, { messages: [message] });
    expect(await events.result()).toMatchObject({ errorMessage: expect.stringContaining("more than 67108864 characters") });
    expect([events.failure?.code, sent]).toEqual(["request_too_large", []]);
  });
});

describe("set_host_models", () => {
  test("lists the models beside the others, to set and to cycle through", async () => {
    const host = await startHost(workspace, { model: "demo/tour" }, [hostModel, { id: "y", name: " " }]);
    const { models } = (await host.ask({ type: "get_available_models" })) as { models: { provider: string; id: string }[] };
    expect(models.map(({ provider, id }) => `${provider}/${id}`)).toEqual(["host/x", "host/y"]);
    expect(models[1]).toEqual({
      ...{
        id: "y",
        name: "y",
        api: "host",
        provider: "host",
        baseUrl: "",
        reasoning: false,
        input: ["text"],
        contextWindow: 0,
        maxTokens: 0,
      },
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
    expect(await host.ask({ type: "set_model", provider: "host", modelId: "y" })).toMatchObject({ id: "y" });
    expect(await host.ask({ type: "cycle_model" })).toMatchObject({ model: { id: "x" } });
    await host.prompt();
    expect((await host.nextCall()).modelId).toBe("x");
  });

  test("the data has the models as other commands name them", async () => {
    const host = await startHost(workspace, {}, []);
    const data = await host.ask({ type: "set_host_models", models: [{ ...hostModel, reasoning: null, input: ["text", "image"] }] });
    expect(data).toMatchObject({ models: [{ id: "x", provider: "host", reasoning: false, input: ["text", "image"] }] });
    expect(await host.ask({ type: "set_host_models", models: [] })).toEqual({ models: [] });
  });

  test.each<[string, object[], string]>([
    ["an empty id", [{ ...hostModel, id: " " }], 'Field "models.0.id" must not be empty'],
    ["the same id twice", [hostModel, hostModel], '"x" comes twice'],
    ["no name", [{ id: "x" }], 'Field "models.0.name" must be a string, but is missing'],
    ["a negative window", [{ ...hostModel, contextWindow: -1 }], 'Field "models.0.contextWindow"'],
    ["unknown input", [{ ...hostModel, input: ["video"] }], 'Field "models.0.input.0"'],
    ["a long id", [{ ...hostModel, id: "x".repeat(300) }], 'Field "models.0.id"'],
    ["too many models", Array.from({ length: 1001 }, (_, index) => ({ ...hostModel, id: `m${index}` })), 'Field "models"'],
  ])("with %s is refused, and the set stays", async (_name, models, error) => {
    const host = await startHost(workspace);
    const refused = await host.request({ type: "set_host_models", models });
    expect(refused).toMatchObject({ success: false, error: expect.stringContaining(error) });
    await host.prompt();
    host.say(await host.nextCall(), "Still.");
    await host.settled();
    expect(host.lastAnswer).toMatchObject({ content: [{ text: "Still." }] });
  });

  test("during a call lets the call go on; the next one has the new definition", async () => {
    const host = await startHost(workspace);
    await host.prompt();
    const first = await host.nextCall();
    await host.ask({ type: "set_host_models", models: [{ ...hostModel, contextWindow: 7000 }] });
    expect(await host.ask({ type: "get_state" })).toMatchObject({ model: { contextWindow: 7000 } });
    host.say(first, "As before.");
    await host.settled();
    expect(host.lastAnswer).toMatchObject({ content: [{ text: "As before." }] });
  });

  test("without the model of the run ends it at the next call; later prompts are refused", async () => {
    const host = await startHost(workspace);
    await host.prompt();
    const first = await host.nextCall();
    await host.ask({ type: "set_host_models", models: [{ id: "y", name: "Y" }] });
    host.send({ type: "host_model_result", id: first.id, stopReason: "toolUse", content: [call("bash", { command: "true" })] });
    await host.settled();
    expect(host.lastAnswer).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringContaining("host/x is not registered"),
    });
    const refused = await host.request({ type: "prompt", message: "Again" });
    expect(refused).toMatchObject({ success: false, error: expect.stringContaining("send set_host_models with this model") });
  });
});

describe("a model that is named before it is registered", () => {
  test("refuses prompts until it is, and then has its definition", async () => {
    const host = await startHost(workspace, {}, []);
    expect(await host.ask({ type: "get_state" })).toMatchObject({ model: { provider: "host", id: "x", contextWindow: 0 } });
    const refused = await host.request({ type: "prompt", message: "Too early" });
    expect(refused).toMatchObject({
      success: false,
      error: "host/x is not registered: send set_host_models with this model, or choose another one.",
    });
    await host.ask({ type: "set_host_models", models: [hostModel] });
    expect(await host.ask({ type: "get_state" })).toMatchObject({ model: { contextWindow: 100_000 }, thinkingLevel: "medium" });
    await host.prompt();
    host.say(await host.nextCall(), "Now.");
    await host.settled();
  });

  test("in the list to cycle through is found after it is registered", async () => {
    const host = await startHost(workspace, { modelScope: ["host/x", "host/y"] }, [
      hostModel,
      { id: "y", name: "Y", contextWindow: 5 },
    ]);
    expect(await host.ask({ type: "cycle_model" })).toMatchObject({ model: { id: "y", contextWindow: 5 }, isScoped: true });
  });

  test("cannot be set by a command, and is no model where no program can register one", async () => {
    const host = await startHost(workspace, { model: "demo/tour" });
    const refused = await host.request({ type: "set_model", provider: "host", modelId: "z" });
    const hint = "A program registers models of the provider host with set_host_models, in RPC mode and pi serve.";
    expect(refused).toMatchObject({ success: false, error: `Model not found: host/z. Nearest: host/x. ${hint}` });
    const { cwd, agentDir } = workspace;
    await expect(createAgentSession({ cwd, agentDir, model: "host/x" })).rejects.toThrow(`Model not found: host/x. ${hint}`);
  });

  test("is the model of a stored session again, in a new process", async () => {
    const host = await startHost(workspace);
    await host.prompt();
    host.say(await host.nextCall(), "Stored.");
    await host.settled();
    await host.end();
    const [file] = await workspace.sessionFiles();
    const rpc = startRpc(workspace, ["--session", String(file)]);
    expect(await rpc.state()).toMatchObject({ model: { provider: "host", id: "x" }, messageCount: 2 });
    await rpc.ask({ type: "set_host_models", models: [hostModel] });
    rpc.send({ id: "p", type: "prompt", message: "Again" });
    const { id } = await rpc.waitFor({ type: "host_model_call" });
    rpc.send({ type: "host_model_result", id, stopReason: "stop", content: [{ type: "text", text: "Over the pipe." }] });
    await rpc.waitFor({ type: "agent_settled" });
    expect(await rpc.ask({ type: "get_last_assistant_text" })).toEqual({ text: "Over the pipe." });
    expect(await rpc.end()).toBe(0);
    expect(rpc.stderr).toBe("");
  });
});
