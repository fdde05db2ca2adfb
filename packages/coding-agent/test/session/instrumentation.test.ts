import { createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { anthropic } from "@pikit/test-kit";
import { afterEach, expect, test, vi } from "vitest";
import type { AgentSession } from "../../src/session/agent-session.ts";
import type { SessionInstrumentation } from "../../src/session/instrumentation.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { absentUser } from "../../src/user-interface.ts";
import { serveModels } from "../helpers/endpoints.ts";
import { createScriptedSession, openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const trace = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "vendor=1" };

afterEach(() => void vi.restoreAllMocks());

/** An instrumentation that writes down its calls, one line each. */
function createLog(): { log: string[]; instrumentation: SessionInstrumentation } {
  const log: string[] = [];
  const instrumentation: SessionInstrumentation = {
    runStarted: (run) => void log.push(`run ${run.trace?.traceparent ?? "without a trace"}`),
    event({ type }) {
      if ((type as string) === "message_update") log.push("a delta");
      if (type === "agent_start" || type === "agent_settled" || type === "tool_execution_start") log.push(type);
    },
    modelCall({ purpose, model, context }) {
      log.push(`${purpose} ${model.id}: ${context.messages.length} messages, ${context.tools.length} tools`);
      return {
        headers: { "x-trace": purpose },
        onContent: () => log.push("content"),
        onEnd: ({ stopReason }, failure) => log.push(`${stopReason} ${failure?.code ?? "without a failure"}`),
      };
    },
    command({ command, toolCallId }) {
      log.push(`command ${command} of ${toolCallId}`);
      return {
        env: { SEEN: "by the command" },
        ended: (outcome) => log.push("result" in outcome ? `exit ${outcome.result.exitCode}: ${outcome.result.output}` : "failed"),
      };
    },
    approval({ toolCallId }) {
      log.push(`question about ${toolCallId}`);
      return (answer) => log.push(`answer ${answer}`);
    },
    task({ toolCallId }) {
      log.push(`task of ${toolCallId}`);
      return { runStarted: () => log.push("  run of the task"), disposed: () => log.push("  end of the task") };
    },
    disposed: () => void log.push("disposed"),
  };
  return { log, instrumentation };
}

function call(name: string, args: Record<string, unknown>): ScriptedAnswer {
  return { toolCalls: [{ id: `${name}-1`, name, arguments: args }] };
}

async function openInstrumented(script: ScriptedAnswer[], options: CreateAgentSessionOptions = {}) {
  const { session } = await createScriptedSession(workspace, script, options);
  const { log, instrumentation } = createLog();
  return { session, log, instrumentation, remove: session.instrument(instrumentation) };
}

test("an instrumentation observes a run, its requests and its commands, which get the variables", async () => {
  const { session, log } = await openInstrumented([call("bash", { command: 'printf "$SEEN"' }), { text: "Done." }]);
  await session.prompt("Go", { trace });
  await session.dispose();
  expect(log).toEqual([
    ...[`run ${trace.traceparent}`, "agent_start", "answer scripted: 1 messages, 4 tools", "content", "toolUse without a failure"],
    ...["tool_execution_start", 'command printf "$SEEN" of bash-1', "exit 0: by the command"],
    ...["answer scripted: 3 messages, 4 tools", "content", "stop without a failure", "agent_settled", "disposed"],
  ]);
});

test("the headers of an instrumentation are sent; a failed request has its error", async () => {
  const server = await serveModels(workspace);
  const { session } = await openSession(workspace, { model: "local-anthropic/claude", retry: { enabled: false } });
  const { log, instrumentation } = createLog();
  session.instrument(instrumentation);
  server.respond(anthropic.error(529, "busy"), anthropic.text("Hello"));
  await session.prompt("Hi");
  await session.prompt("Again");
  expect(server.requests.map(({ headers }) => headers["x-trace"])).toEqual(["answer", "answer"]);
  expect(log.filter((line) => / failure|overloaded/.test(line))).toEqual(["error overloaded", "stop without a failure"]);
});

test("a compaction asks for a summary", async () => {
  const { session, log } = await openInstrumented([{ text: "One" }, { text: "Two" }, { text: "Summary" }], {
    compaction: { keepRecentTokens: 1 },
  });
  await session.prompt("First");
  await session.prompt("Second");
  log.length = 0;
  await session.compact();
  expect(log).toEqual([expect.stringContaining("summary scripted"), "content", "stop without a failure"]);
});

test("a question about a call is observed with its answer", async () => {
  const user = { ...absentUser, confirm: async () => false };
  const { session, log } = await openInstrumented([call("bash", { command: "rm -r build" }), { text: "Well." }], {
    ...{ user, approval: "always" },
  });
  await session.prompt("Go");
  expect(log.filter((line) => /question|answer no/.test(line))).toEqual(["question about bash-1", "answer no"]);
});

test("a sub-task has the instrumentation that its call gets", async () => {
  const script = [call("delegate", { task: "Look" }), { text: "Looked." }, { text: "Done." }];
  const model = createScriptedModel({ script });
  const { session } = await openSession(workspace, { model, tools: ["delegate"] });
  const { log, instrumentation } = createLog();
  session.instrument(instrumentation);
  await session.prompt("Go");
  expect(log.slice(5, 9)).toEqual(["tool_execution_start", "task of delegate-1", "  run of the task", "  end of the task"]);
});

test("an instrumentation that throws changes nothing, and is reported once", async () => {
  const report = vi.spyOn(console, "error").mockImplementation(() => {});
  const fail = () => {
    throw new Error("broken");
  };
  const { session } = await createScriptedSession(workspace, [call("bash", { command: "true" }), { text: "Done." }]);
  session.instrument({
    ...{ runStarted: fail, event: fail, task: fail, disposed: fail },
    modelCall: () => ({ onContent: fail, onEnd: fail }),
    command: () => ({ ended: fail }),
  });
  await session.prompt("Go");
  expect(session.lastAssistantText()).toBe("Done.");
  await session.dispose();
  expect(report).toHaveBeenCalledTimes(1);
});

test("a session has one instrumentation at a time", async () => {
  const { session, log, instrumentation, remove } = await openInstrumented([{ text: "One" }, { text: "Two" }]);
  expect(() => session.instrument(instrumentation)).toThrow("The session is instrumented already.");
  remove();
  await session.prompt("Nobody sees it");
  expect(log).toEqual([]);
  session.instrument(instrumentation);
  await session.prompt("Seen");
  expect(log[0]).toBe("run without a trace");
});

test("a runner of the caller gets no variables of this machine", async () => {
  const environments: unknown[] = [];
  const runProcess: NonNullable<CreateAgentSessionOptions["runProcess"]> = async ({ env }) => {
    environments.push(env);
    throw new Error("no container");
  };
  const script = [call("bash", { command: "true" }), { text: "Done." }];
  const opened: { session: AgentSession; log: string[] } = await openInstrumented(script, { runProcess });
  await opened.session.prompt("Go");
  expect(environments).toEqual([undefined]);
  expect(opened.log).toContain("failed");
});
