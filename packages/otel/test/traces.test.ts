import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, context, ROOT_CONTEXT } from "@opentelemetry/api";
import { absentUser, createAgentSession, createScriptedModel, defineTool, Type } from "@pikit/coding-agent";
import { anthropic, heldBytes, startProviderServer } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { instrumentSession } from "../src/index.ts";
import { type ReceivedSpan, treeOf } from "./helpers/collector.ts";
import { openTraced, startTelemetry, temporaryFolder } from "./helpers/traced.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const caller = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: "vendor=1" };

/** A model of a provider on this machine. */
async function serveModel() {
  const server = await startProviderServer();
  onTestFinished(() => server.close());
  const model = {
    ...{ id: "claude", name: "Claude", api: "anthropic-messages", provider: "anthropic", baseUrl: server.url },
    ...{ reasoning: false, input: ["text" as const], contextWindow: 100_000, maxTokens: 1000 },
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 },
  };
  return { server, model };
}

function call(name: string, args: Record<string, unknown>, id = `${name}-1`) {
  return { toolCalls: [{ id, name, arguments: args }] };
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);

test("a run with two tools and a sub-task is one tree in the trace of its caller, as a collector reads it", async () => {
  const telemetry = await startTelemetry();
  const { server, model } = await serveModel();
  const session = await openTraced(telemetry, { model, apiKey: "sk-test", tools: ["bash", "read", "delegate"] });
  server.respond(
    anthropic.toolCall("bash", { command: "echo $TRACEPARENT; echo $TRACESTATE" }),
    anthropic.answer([
      { toolCall: "read", arguments: { path: "absent.txt" } },
      { toolCall: "delegate", arguments: { task: "Look" } },
    ]),
    anthropic.text("Looked."),
    anthropic.text("Done."),
  );
  await session.prompt("Go", { trace: caller });
  await telemetry.flush();
  const { spans } = telemetry.collector;
  expect(treeOf(spans)).toEqual([
    "invoke_agent pi",
    ...["  chat claude", "  chat claude", "  chat claude", "  execute_tool bash", "    shell"],
    ...["  execute_tool delegate", "    invoke_agent task", "      chat claude", "  execute_tool read"],
  ]);
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(named(spans, "invoke_agent pi")[0]?.parentSpanId).toBe("00f067aa0ba902b7");
  const [shell] = named(spans, "shell");
  const output = JSON.stringify(session.messages.find(({ role }) => role === "toolResult"));
  expect(output).toContain(`00-${traceId}-${shell?.spanId}-01\\nvendor=1`);
  const chats = named(spans, "chat claude").map(({ spanId }) => `00-${traceId}-${spanId}-01`);
  expect(server.requests.map(({ headers }) => headers.traceparent)).toEqual(chats);
  expect(server.requests.every(({ headers }) => headers.tracestate === "vendor=1")).toBe(true);
});

test("spans have the attributes of the conventions, and no content", async () => {
  const telemetry = await startTelemetry();
  const { server, model } = await serveModel();
  const session = await openTraced(telemetry, { model, apiKey: "sk-test", tools: ["bash"] }, { agentVersion: "1.2.3" });
  server.respond(
    anthropic.toolCall("bash", { command: "echo secret-output; exit 3" }, { id: "call-7" }),
    anthropic.text("secret-answer", { usage: { input: 10, cacheRead: 20, cacheWrite: 30, output: 5 } }),
  );
  await session.prompt("secret-prompt");
  await telemetry.flush();
  const { spans } = telemetry.collector;
  const shared = { "gen_ai.conversation.id": session.sessionId };
  const port = Number(new URL(server.url).port);
  const request = { "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude" };
  expect(named(spans, "chat claude")[1]).toMatchObject({
    kind: 3,
    status: { code: 0 },
    attributes: {
      ...{ ...shared, ...request, "gen_ai.operation.name": "chat", "gen_ai.request.stream": true },
      ...{ "server.address": "127.0.0.1", "server.port": port, "gen_ai.response.finish_reasons": ["stop"] },
      ...{ "gen_ai.usage.input_tokens": 60, "gen_ai.usage.output_tokens": 5 },
      ...{ "gen_ai.usage.cache_read.input_tokens": 20, "gen_ai.usage.cache_creation.input_tokens": 30 },
      ...{ "gen_ai.response.time_to_first_chunk": expect.any(Number), "pikit.purpose": "answer" },
      "pikit.cost_usd": expect.closeTo(0.000052),
    },
  });
  expect(named(spans, "execute_tool bash")[0]).toMatchObject({
    ...{ kind: 1, status: { code: 2 } },
    attributes: {
      ...{ ...shared, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash" },
      ...{ "gen_ai.tool.call.id": "call-7", "gen_ai.tool.type": "function", "error.type": "tool_error" },
    },
  });
  expect(named(spans, "shell")[0]).toMatchObject({
    ...{ kind: 3, status: { code: 2 } },
    attributes: { "process.executable.name": "shell", "process.exit.code": 3, "error.type": "3" },
  });
  expect(named(spans, "invoke_agent pi")[0]).toMatchObject({
    ...{ kind: 1, status: { code: 0 }, parentSpanId: "" },
    attributes: {
      ...{ ...shared, ...request, "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "pi" },
      ...{ "gen_ai.agent.version": "1.2.3", "pikit.outcome": "completed", "pikit.turns": 2, "pikit.tool_calls": 1 },
      ...{ "gen_ai.usage.input_tokens": 70, "gen_ai.usage.output_tokens": 10 },
    },
  });
  expect(JSON.stringify(spans)).not.toContain("secret");
});

test("content is in the spans when it is asked for, and is cut", async () => {
  const telemetry = await startTelemetry();
  const script = [call("bash", { command: "echo out" }), { text: "x".repeat(50_000) }, { text: "Last." }];
  const session = await openTraced(
    telemetry,
    { model: createScriptedModel({ script }), systemPrompt: "Be brief." },
    { captureContent: true, maxContentLength: 20_000 },
  );
  await session.prompt("Hello?");
  await session.prompt("Again?");
  await telemetry.flush();
  const { spans } = telemetry.collector;
  const [first, second, third] = named(spans, "chat scripted").map(({ attributes }) => attributes);
  expect(first?.["gen_ai.system_instructions"]).toContain("Be brief.");
  expect(JSON.parse(String(first?.["gen_ai.input.messages"]))).toEqual([
    { role: "user", parts: [{ type: "text", content: "Hello?" }] },
  ]);
  const toolCall = { type: "tool_call", id: "bash-1", name: "bash", arguments: { command: "echo out" } };
  expect(JSON.parse(String(first?.["gen_ai.output.messages"]))).toEqual([
    { role: "assistant", parts: [toolCall], finish_reason: "tool_call" },
  ]);
  expect(JSON.parse(String(second?.["gen_ai.input.messages"])).at(-1)).toEqual({
    role: "tool",
    parts: [{ type: "tool_call_response", id: "bash-1", result: "out\n" }],
  });
  expect(String(second?.["gen_ai.output.messages"])).toMatch(/x… \(\d+ characters left out\)/);
  expect(JSON.parse(String(third?.["gen_ai.input.messages"])).at(-1)).toMatchObject({ parts: [{ content: "Again?" }] });
  const [tool] = named(spans, "execute_tool bash");
  expect(tool?.attributes).toMatchObject({
    "gen_ai.tool.call.arguments": '{"command":"echo out"}',
    "gen_ai.tool.call.result": "out\n",
  });
  expect(named(spans, "shell")[0]?.attributes["process.command_args"]).toEqual(["echo out"]);
  const lengths = spans.flatMap(({ attributes }) => Object.values(attributes).map((value) => String(value).length));
  expect(Math.max(...lengths)).toBeLessThan(20_100);
});

test("failed, repeated and refused requests have their errors; the run has a note of each retry", async () => {
  const telemetry = await startTelemetry();
  const { server, model } = await serveModel();
  const session = await openTraced(telemetry, { model, apiKey: "sk-test", retry: { baseDelayMs: 1, maxRetries: 1 } });
  server.respond(anthropic.error(529, "busy"), anthropic.text("Hello"), anthropic.error(400, "bad request"));
  await session.prompt("One");
  await session.prompt("Two");
  await telemetry.flush();
  const { spans } = telemetry.collector;
  expect(treeOf(spans)).toEqual(["invoke_agent pi", "  chat claude", "  chat claude", "invoke_agent pi", "  chat claude"]);
  expect(named(spans, "chat claude").map(({ status, attributes }) => [status.code, attributes["error.type"]])).toEqual([
    [2, "529"],
    [0, undefined],
    [2, "400"],
  ]);
  const [first, second] = named(spans, "invoke_agent pi");
  expect(first).toMatchObject({
    ...{ status: { code: 0 }, attributes: { "pikit.outcome": "completed" } },
    events: [{ name: "pikit.retry", attributes: { attempt: 1, max_attempts: 1, delay_ms: expect.any(Number) } }],
  });
  expect(second).toMatchObject({ status: { code: 2, message: expect.stringContaining("bad request") } });
  expect(second?.attributes["pikit.outcome"]).toBe("error");
});

test("a compaction is a span with the requests for its summary", async () => {
  const telemetry = await startTelemetry();
  const model = createScriptedModel({ script: [{ text: "One" }, { text: "Two" }, { text: "Summary" }] });
  const session = await openTraced(telemetry, { model, compaction: { keepRecentTokens: 1 } });
  await session.prompt("First");
  await session.prompt("Second");
  await session.compact();
  await telemetry.flush();
  const { spans } = telemetry.collector;
  expect(treeOf(spans)).toEqual([
    ...["invoke_agent pi", "  chat scripted", "invoke_agent pi", "  chat scripted"],
    ...["pikit.compaction", "  chat scripted"],
  ]);
  expect(spans.at(-1)).toMatchObject({ name: "pikit.compaction", attributes: { "pikit.compaction.reason": "manual" } });
  expect(spans.at(-2)?.attributes["pikit.purpose"]).toBe("summary");
});

/** A tool that runs until it is aborted. `started` resolves when it runs. */
function createEndlessTool() {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const tool = defineTool({
    ...{ name: "wait", description: "Waits.", parameters: Type.Object({}) },
    async execute(_id, _params, signal) {
      resolve();
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
      return { content: [], details: null };
    },
  });
  return { tool, started };
}

test.each(["abort", "dispose"] as const)("an open run ends its spans with %s", async (end) => {
  const telemetry = await startTelemetry();
  const { tool, started } = createEndlessTool();
  const model = createScriptedModel({ script: [call("wait", {})] });
  const session = await openTraced(telemetry, { model, customTools: [tool] });
  const running = session.prompt("Go");
  await started;
  await session[end]();
  await running;
  await telemetry.flush();
  const { spans } = telemetry.collector;
  expect(treeOf(spans)).toEqual(["invoke_agent pi", "  chat scripted", "  execute_tool wait"]);
  expect(named(spans, "invoke_agent pi")[0]).toMatchObject({ status: { code: 0 }, attributes: { "pikit.outcome": "aborted" } });
});

test("the end of the instrumentation ends the spans of a run", async () => {
  const telemetry = await startTelemetry();
  const { tool, started } = createEndlessTool();
  const folder = temporaryFolder();
  const model = createScriptedModel({ script: [call("wait", {})] });
  const session = await createAgentSession({ ...{ cwd: folder, agentDir: folder, session: "memory" }, model, customTools: [tool] });
  const end = instrumentSession(session, telemetry.providers);
  const running = session.prompt("Go");
  await started;
  end();
  await telemetry.flush();
  expect(treeOf(telemetry.collector.spans)).toEqual(["invoke_agent pi", "  chat scripted", "  execute_tool wait"]);
  await session.dispose();
  await running;
});

test("sessions that run at the same time have traces of their own", async () => {
  const telemetry = await startTelemetry();
  const open = () =>
    openTraced(telemetry, { model: createScriptedModel({ script: [call("bash", { command: "true" }), { text: "Done." }] }) });
  const sessions = await Promise.all(Array.from({ length: 5 }, open));
  await Promise.all(sessions.map((session) => session.prompt("Go")));
  await telemetry.flush();
  const { spans } = telemetry.collector;
  const traces = Map.groupBy(spans, (span) => span.traceId);
  expect(traces.size).toBe(5);
  for (const trace of traces.values()) {
    expect(treeOf(trace)).toEqual(["invoke_agent pi", "  chat scripted", "  chat scripted", "  execute_tool bash", "    shell"]);
    expect(new Set(trace.flatMap(({ attributes }) => attributes["gen_ai.conversation.id"] ?? [])).size).toBe(1);
  }
});

test("a question to the user is a span with its answer", async () => {
  const telemetry = await startTelemetry();
  const script = [call("bash", { command: "rm -r build" }), { text: "Well." }];
  const user = { ...absentUser, confirm: async () => false };
  const session = await openTraced(telemetry, { model: createScriptedModel({ script }), user, approval: "always" });
  await session.prompt("Go");
  await telemetry.flush();
  const [question] = named(telemetry.collector.spans, "pikit.approval");
  expect(question?.attributes).toMatchObject({ "pikit.approval.answer": "no", "gen_ai.tool.call.id": "bash-1" });
});

test("providers get no header if the program says so; runs belong to the trace that it names", async () => {
  const telemetry = await startTelemetry();
  const { server, model } = await serveModel();
  const session = await openTraced(telemetry, { model, apiKey: "sk-test" }, { propagateToProviders: false, parent: caller });
  server.respond(anthropic.text("Hello"));
  await session.prompt("Hi");
  await telemetry.flush();
  expect(server.requests[0]?.headers).not.toHaveProperty("traceparent");
  expect(telemetry.collector.spans.every((span) => span.traceId === traceId)).toBe(true);
});

test("a run inside of a span of the program is its child", async () => {
  const active = new AsyncLocalStorage<Context>();
  const run = <T>(within: Context, work: () => T): T => active.run(within, work);
  context.setGlobalContextManager({
    active: () => active.getStore() ?? ROOT_CONTEXT,
    with: (within, work, self, ...args) => run(within, () => work.apply(self as never, args)),
    bind: (_within, target) => target,
    enable: () => context as never,
    disable: () => context as never,
  });
  onTestFinished(() => context.disable());
  const telemetry = await startTelemetry();
  const session = await openTraced(telemetry, { model: createScriptedModel({ script: [{ text: "Hello" }] }) });
  const tracer = telemetry.providers.tracerProvider.getTracer("program");
  await tracer.startActiveSpan("request", async (span) => {
    await session.prompt("Hi");
    span.end();
  });
  await telemetry.flush();
  expect(treeOf(telemetry.collector.spans)).toEqual(["request", "  invoke_agent pi", "    chat scripted"]);
});

/** Sessions in each of the four rounds; 1,000 together in the long form. */
const sessionsInRound = process.env.PIKIT_LONG === "1" ? 250 : 30;

test("sessions leave no memory behind", async () => {
  const telemetry = await startTelemetry();
  const { collector } = telemetry;
  const folder = temporaryFolder();
  const model = createScriptedModel({ script: () => ({ text: "Hello" }) });
  const runSessions = async (count: number): Promise<number> => {
    for (let index = 0; index < count; index += 1) {
      const session = await createAgentSession({ ...{ cwd: folder, agentDir: folder, session: "memory" }, model });
      instrumentSession(session, telemetry.providers);
      await session.prompt("Hi");
      await session.dispose();
    }
    await telemetry.flush();
    for (const list of [collector.spans, collector.points, collector.requests]) list.length = 0;
    return heldBytes();
  };
  const first = await runSessions(50);
  const later = [];
  for (let round = 0; round < 4; round += 1) later.push(await runSessions(sessionsInRound));
  // A session that stays holds more than 100 kB.
  expect(Math.min(...later) - first).toBeLessThan(2_000_000);
});

test("metrics count tokens, cost, durations and retries, without ids", async () => {
  const telemetry = await startTelemetry();
  const { server, model } = await serveModel();
  const session = await openTraced(telemetry, { model, apiKey: "sk-test", tools: ["bash"], retry: { baseDelayMs: 1 } });
  server.respond(anthropic.error(529, "busy"), anthropic.toolCall("bash", { command: "true" }), anthropic.text("Done."));
  await session.prompt("Go");
  await telemetry.flush();
  const { points } = telemetry.collector;
  const model1 = {
    ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude" },
    ...{ "server.address": "127.0.0.1", "server.port": Number(new URL(server.url).port) },
  };
  const found = (metric: string) =>
    points.filter((point) => point.metric === metric).map(({ attributes, count, sum }) => ({ attributes, count, sum }));
  expect(found("gen_ai.client.token.usage")).toEqual([
    { attributes: { ...model1, "gen_ai.token.type": "input" }, count: 2, sum: 20 },
    { attributes: { ...model1, "gen_ai.token.type": "output" }, count: 2, sum: 10 },
  ]);
  expect(found("gen_ai.client.operation.duration")).toEqual([
    { attributes: { ...model1, "error.type": "529" }, count: 1, sum: expect.any(Number) },
    { attributes: model1, count: 2, sum: expect.any(Number) },
  ]);
  expect(found("gen_ai.client.operation.time_to_first_chunk")).toMatchObject([{ attributes: model1, count: 2 }]);
  expect(found("gen_ai.execute_tool.duration")).toMatchObject([{ attributes: { "gen_ai.tool.name": "bash" }, count: 1 }]);
  expect(found("gen_ai.invoke_agent.duration")).toMatchObject([{ attributes: { "gen_ai.agent.name": "pi" }, count: 1 }]);
  expect(found("pikit.retries")).toMatchObject([{ sum: 1 }]);
  expect(found("pikit.cost")).toMatchObject([{ sum: expect.closeTo(0.00004) }]);
  expect(JSON.stringify(points)).not.toContain(session.sessionId);
});
