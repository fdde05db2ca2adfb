import { describe, expect, test } from "vitest";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, startRpc, type WireRecord } from "../../helpers/rpc-process.ts";
import { expectSubsequence } from "../../helpers/subsequence.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const hello = { text: "Hello world", deltas: ["Hello", " world"], delayMs: 5 };

async function start(...answers: Parameters<typeof workspace.script>): Promise<RpcConnection> {
  return serveHere(workspace, { model: await workspace.script(...answers) });
}

/** What was sent, as somebody who types along with a document would send it: each line when the one before is answered. */
async function play(rpc: RpcConnection, lines: readonly { type: string; [field: string]: unknown }[]): Promise<WireRecord[]> {
  const answers: WireRecord[] = [];
  for (const line of lines) {
    const from = rpc.records.length;
    rpc.send(line);
    answers.push(await rpc.waitFor({ type: "response" }, from));
  }
  return answers;
}

const plain = (command: string) => ({ type: "response", command, success: true });
const path = expect.stringMatching(/^\//);
const number = expect.any(Number);
const model = {
  ...{ id: expect.any(String), name: expect.any(String), api: expect.any(String), provider: expect.any(String) },
  ...{ baseUrl: expect.any(String), reasoning: expect.any(Boolean), input: expect.arrayContaining(["text"]) },
  ...{ contextWindow: number, maxTokens: number, cost: { input: number, output: number, cacheRead: number, cacheWrite: number } },
};

describe("the second protocol", () => {
  test("prompting, state and messages answer as its document prints them", async () => {
    const rpc = await start(hello, hello);
    rpc.send({ id: "req-1", type: "prompt", message: "Hello, world!" });
    expect(await rpc.waitFor({ type: "response" })).toEqual({ id: "req-1", ...plain("prompt") });
    await rpc.waitFor({ type: "agent_settled" });
    const [queued, aborted, state, messages, text] = await play(rpc, [
      { type: "queue_message", message: "Additional context" },
      { type: "abort" },
      { type: "get_state" },
      { type: "get_messages" },
      { type: "get_last_assistant_text" },
    ]);
    expect([queued, aborted]).toEqual([plain("queue_message"), plain("abort")]);
    expect(state).toMatchObject({
      ...plain("get_state"),
      data: {
        ...{ model, thinkingLevel: "off", isStreaming: false, isCompacting: false, queueMode: "one-at-a-time" },
        ...{
          sessionFile: path,
          sessionId: expect.any(String),
          autoCompactionEnabled: true,
          messageCount: 2,
          queuedMessageCount: 1,
        },
      },
    });
    expect(messages).toMatchObject({
      ...plain("get_messages"),
      data: {
        messages: [
          { role: "user", content: "Hello, world!", timestamp: number },
          {
            ...{ role: "assistant", content: [{ type: "text", text: "Hello world" }], api: "scripted", provider: "script" },
            ...{ model: expect.any(String), stopReason: "stop", timestamp: number },
            usage: { input: number, output: number, cacheRead: number, cacheWrite: number, cost: { total: number } },
          },
        ],
      },
    });
    expect(text).toEqual({ ...plain("get_last_assistant_text"), data: { text: "Hello world" } });
    expect(await play(rpc, [{ type: "reset" }, { type: "get_last_assistant_text" }])).toMatchObject([plain("reset"), { data: {} }]);
  });

  test("model, thinking and queue commands answer as its document prints them", async () => {
    await workspace.write("agent/models.json", {
      providers: {
        local: { baseUrl: "http://127.0.0.1:1", api: "openai-completions", models: [{ id: "m", reasoning: true }, { id: "n" }] },
      },
    });
    const rpc = startRpc(workspace, ["--model", "demo/tour"]);
    const answers = await play(rpc, [
      { type: "set_model", provider: "local", modelId: "m" },
      { type: "set_thinking_level", level: "medium" },
      { type: "cycle_thinking_level" },
      { type: "get_available_models" },
      { type: "set_queue_mode", mode: "one-at-a-time" },
      { type: "set_auto_compaction", enabled: true },
      { type: "cycle_model" },
      { type: "set_model", provider: "invalid", modelId: "model" },
    ]);
    expect(answers).toMatchObject([
      { ...plain("set_model"), data: model },
      plain("set_thinking_level"),
      { ...plain("cycle_thinking_level"), data: { level: "high" } },
      { ...plain("get_available_models"), data: { models: [model, model] } },
      plain("set_queue_mode"),
      plain("set_auto_compaction"),
      { ...plain("cycle_model"), data: { model, thinkingLevel: "off", isScoped: false } },
      { type: "response", command: "set_model", success: false, error: expect.stringMatching(/^Model not found: invalid\/model/) },
    ]);
    rpc.sendText("not json\n");
    expect(await rpc.waitFor({ command: "parse" })).toEqual({
      ...{ type: "response", command: "parse", success: false },
      error: expect.stringMatching(/^Failed to parse command: Unexpected token/),
    });
  });

  test("bash and session commands answer as its document prints them", async () => {
    const rpc = await start(hello, hello);
    await rpc.promptAndWait("First prompt...");
    const { sessionFile } = await rpc.state();
    const [bash, stopped, stats, html, points] = await play(rpc, [
      { type: "bash", command: "echo total 48" },
      { type: "abort_bash" },
      { type: "get_session_stats" },
      { type: "export_html", outputPath: `${workspace.root}/session.html` },
      { type: "get_branch_messages" },
    ]);
    expect(bash).toMatchObject({
      ...plain("bash"),
      data: { output: "total 48\n", exitCode: 0, cancelled: false, truncated: false },
    });
    expect(stopped).toEqual(plain("abort_bash"));
    expect(stats).toMatchObject({
      ...plain("get_session_stats"),
      data: {
        ...{
          sessionFile: path,
          sessionId: expect.any(String),
          userMessages: 1,
          assistantMessages: 1,
          toolCalls: 0,
          toolResults: 0,
        },
        ...{ totalMessages: 3, tokens: { input: number, output: number, cacheRead: 0, cacheWrite: 0, total: number }, cost: 0 },
      },
    });
    expect(html).toEqual({ ...plain("export_html"), data: { path: `${workspace.root}/session.html` } });
    expect(points).toMatchObject({
      ...plain("get_branch_messages"),
      data: { messages: [{ text: "First prompt...", entryIndex: 0 }] },
    });
    const { messages } = (points?.data ?? { messages: [] }) as { messages: { entryIndex: number }[] };
    const entryIndex = messages[0]?.entryIndex;
    expect(
      await play(rpc, [
        { type: "branch", entryIndex },
        { type: "switch_session", sessionPath: sessionFile },
      ]),
    ).toMatchObject([{ ...plain("branch"), data: { text: "First prompt..." } }, plain("switch_session")]);
  });

  test("a streamed text is its four steps, each with the message and the partial", async () => {
    const rpc = await start(hello);
    const records = await rpc.promptAndWait("Hi");
    const message = expect.objectContaining({ role: "assistant" });
    const steps = [
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "Hello" },
      { type: "text_delta", contentIndex: 0, delta: " world" },
      { type: "text_end", contentIndex: 0, content: "Hello world" },
    ];
    const updates = records.filter(({ type }) => type === "message_update");
    expect(updates.slice(1, -1)).toEqual(
      steps.map((step) => ({ type: "message_update", message, assistantMessageEvent: { ...step, partial: message } })),
    );
  });
});

describe("the protocol with host tools and dialogs", () => {
  test("its payloads of set_todos, set_host_tools and get_state come back as printed", async () => {
    const rpc = await start();
    const phases = [
      {
        ...{ id: "phase-1", name: "Evaluation" },
        tasks: [
          { id: "task-1", content: "Map the read tool surface", status: "in_progress" },
          { id: "task-2", content: "Exercise edit operations", status: "pending" },
        ],
      },
    ];
    const schema = {
      type: "object",
      properties: { message: { type: "string" } },
      required: ["message"],
      additionalProperties: false,
    };
    const tool = { name: "echo_host", label: "Echo Host", description: "Echo a value from the embedding host", parameters: schema };
    const answers = await play(rpc, [
      { id: "req_2", type: "set_todos", phases },
      { id: "req_3", type: "set_host_tools", tools: [tool] },
      { id: "q1", type: "get_state" },
      { id: "q2", type: "set_steering_mode", mode: "all" },
      { id: "q3", type: "set_interrupt_mode", mode: "wait" },
    ]);
    expect(answers).toMatchObject([
      { id: "req_2", ...plain("set_todos"), data: { todoPhases: phases } },
      { id: "req_3", ...plain("set_host_tools"), data: { toolNames: ["echo_host"] } },
      {
        ...{ id: "q1", ...plain("get_state") },
        data: { steeringMode: "one-at-a-time", followUpMode: "one-at-a-time", interruptMode: "wait", todoPhases: phases },
      },
      { id: "q2", ...plain("set_steering_mode") },
      { id: "q3", ...plain("set_interrupt_mode") },
    ]);
  });

  test("a prompt, a follow-up during it, and a round trip of a host tool are as printed", async () => {
    const call = { toolCalls: [{ name: "echo_host", arguments: { message: "hello" } }] };
    const rpc = await start(call, hello, { text: "Risks." });
    const tool = {
      name: "echo_host",
      description: "Echo",
      parameters: { type: "object", properties: { message: { type: "string" } } },
    };
    await rpc.ask({ type: "set_host_tools", tools: [tool] });
    rpc.send({ id: "req_1", type: "prompt", message: "Summarize this repo" });
    const frame = await rpc.waitFor({ type: "host_tool_call" });
    expect(frame).toEqual({
      ...{ type: "host_tool_call", id: "host_1", toolCallId: expect.any(String), toolName: "echo_host" },
      arguments: { message: "hello" },
    });
    rpc.send({ id: "req_2", type: "prompt", message: "Also include risks", streamingBehavior: "followUp" });
    expect(await rpc.waitFor({ id: "req_2" })).toEqual({ id: "req_2", ...plain("prompt") });
    rpc.send(
      { type: "host_tool_update", id: "host_1", partialResult: { content: [{ type: "text", text: "working" }] } },
      { type: "host_tool_result", id: "host_1", result: { content: [{ type: "text", text: "done" }] } },
    );
    await rpc.waitFor({ type: "agent_settled" });
    expectSubsequence(rpc.records, [
      { id: "req_1", ...plain("prompt") },
      { type: "agent_start" },
      { type: "host_tool_call" },
      { type: "tool_execution_update", partialResult: { content: [{ text: "working" }] } },
      { type: "tool_execution_end", result: { content: [{ text: "done" }] }, isError: false },
      { type: "message_update", assistantMessageEvent: { type: "text_delta", delta: "Hello" }, message: { role: "assistant" } },
      { type: "message_end", message: { role: "user", content: "Also include risks" } },
      { type: "agent_end", messages: expect.any(Array) },
    ]);
    expect(rpc.records.filter(({ type }) => type === "agent_start")).toHaveLength(1);
  });

  test("its errors: an unknown model and an empty name", async () => {
    const rpc = await start();
    expect(
      await play(rpc, [
        { id: "req_2", type: "set_model", provider: "provider", modelId: "model" },
        { type: "set_session_name", name: "" },
      ]),
    ).toEqual([
      {
        ...{ id: "req_2", type: "response", command: "set_model", success: false },
        error: expect.stringMatching(/^Model not found: provider\/model/),
      },
      { type: "response", command: "set_session_name", success: false, error: "Session name cannot be empty" },
    ]);
  });
});
