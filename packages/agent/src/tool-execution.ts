import type { AssistantMessage, ToolCall, ToolResultMessage } from "@pikit/ai";
import type { Emit } from "./agent-loop.ts";
import { isToolError, ToolError } from "./errors.ts";
import type { AgentTool, AgentToolResult } from "./types.ts";

/** How long a tool may take to return after its signal was aborted; then its call is reported aborted and its result ignored. */
const abortGraceMs = 2000;

/** A call that is ready to run, or the reason why it cannot be. */
interface PreparedCall {
  call: ToolCall;
  tool?: AgentTool;
  params?: unknown;
  refusal?: ToolError;
}

interface Outcome {
  result: AgentToolResult;
  isError: boolean;
}

/**
 * Runs the tool calls of an answer and returns their results in the order of the calls, whatever finished first. Every call gets
 * exactly one result: what cannot be run, fails, or is aborted gets an error result, and its siblings go on.
 */
export async function executeToolCalls(
  answer: AssistantMessage,
  tools: readonly AgentTool[],
  emit: Emit,
  signal: AbortSignal,
): Promise<ToolResultMessage[]> {
  const calls = answer.content.filter((block) => block.type === "toolCall");
  const prepared: PreparedCall[] = [];
  for (const call of calls) prepared.push(await prepare(call, answer, tools));

  const runsInParallel = prepared.every(({ tool }) => tool === undefined || tool.executionMode === "parallel");
  if (runsInParallel) return Promise.all(prepared.map((call) => execute(call, emit, signal)));
  const results: ToolResultMessage[] = [];
  for (const call of prepared) results.push(await execute(call, emit, signal));
  return results;
}

async function prepare(call: ToolCall, answer: AssistantMessage, tools: readonly AgentTool[]): Promise<PreparedCall> {
  try {
    if (answer.stopReason === "length") {
      throw new ToolError(
        "cut_off",
        "The answer reached its output limit, so this call may be incomplete and was not run. Send it again.",
      );
    }
    const tool = tools.find(({ name }) => name === call.name);
    if (!tool) {
      const names = tools.map(({ name }) => name).join(", ") || "none";
      throw new ToolError("unknown_tool", `There is no tool named "${call.name}". Available: ${names}.`);
    }
    if (call.argumentsError !== undefined) throw new ToolError("invalid_arguments", call.argumentsError);
    // Loaded with the first call: nothing before it needs a validator.
    const { validateArguments } = await import("./validate-arguments.ts");
    return { call, tool, params: validateArguments(tool, call.arguments) };
  } catch (error) {
    return { call, refusal: toToolError(error) };
  }
}

async function execute(prepared: PreparedCall, emit: Emit, signal: AbortSignal): Promise<ToolResultMessage> {
  const { call } = prepared;
  const event = { toolCallId: call.id, toolName: call.name };
  await emit({ type: "tool_execution_start", ...event, args: call.arguments });
  const { result, isError } = await run(prepared, emit, signal);
  await emit({ type: "tool_execution_end", ...event, result, isError });
  return { role: "toolResult", ...event, ...result, isError, timestamp: Date.now() };
}

async function run({ call, tool, params, refusal }: PreparedCall, emit: Emit, signal: AbortSignal): Promise<Outcome> {
  if (!tool || refusal) return errorOutcome(refusal ?? new ToolError("unknown_tool", `There is no tool named "${call.name}".`));
  if (signal.aborted) return errorOutcome(new ToolError("aborted", "Not started: the run was aborted."));
  let isOver = false;
  const onUpdate = (partialResult: AgentToolResult) => {
    if (isOver) return;
    void emit({ type: "tool_execution_update", toolCallId: call.id, toolName: call.name, args: call.arguments, partialResult });
  };
  try {
    const result = await withinGrace(async () => tool.execute(call.id, params, signal, onUpdate), signal);
    return { result: { content: result.content, details: result.details ?? null }, isError: false };
  } catch (error) {
    return errorOutcome(toToolError(error));
  } finally {
    isOver = true;
  }
}

/** Waits for the tool, but after an abort no longer than the grace: a tool that ignores its signal must not hold the run. */
async function withinGrace<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const leftBehind = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = () => {
    const error = new ToolError("aborted", "Aborted: the tool did not stop in time and was left behind.");
    timer = setTimeout(() => leftBehind.reject(error), abortGraceMs);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), leftBehind.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
  }
}

function toToolError(error: unknown): ToolError {
  if (isToolError(error)) return error;
  return new ToolError("failed", error instanceof Error ? error.message : String(error), { cause: error });
}

function errorOutcome(error: ToolError): Outcome {
  // A model must always be told something, also by a tool that threw an empty message.
  const text = error.message || `The tool failed (${error.code}).`;
  return { result: { content: [{ type: "text", text }], details: error.details ?? null }, isError: true };
}
