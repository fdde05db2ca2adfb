import { cutDeep, imageOrNote, type ToolCall, type ToolResultMessage } from "@pikit/ai";
import type { AssistantTurn } from "./assistant-turn.ts";
import { emitInOrder } from "./emit-in-order.ts";
import { isToolError, ToolError } from "./errors.ts";
import { displayCall, withDisplay, withGivenDisplay } from "./tool-display.ts";
import type { AgentLoopConfig, AgentTool, AgentToolResult, Emit, PendingToolCall, ToolCallOutcome, ToolDisplay } from "./types.ts";
import { withinGrace } from "./within-grace.ts";

/** A call that is ready to run, or the error that prevents it. */
type PreparedCall = { toolCall: ToolCall; pending: PendingToolCall } | { toolCall: ToolCall; refusal: ToolError };

/**
 * Runs the tool calls of an answer and returns their results in the order of the calls. Every call gets exactly one result. A call that
 * cannot run, fails, or is refused, skipped or aborted gets an error result; the other calls continue.
 */
export async function executeToolCalls(
  { answer, request }: AssistantTurn,
  config: AgentLoopConfig,
  tell: Emit,
  signal: AbortSignal,
): Promise<ToolResultMessage[]> {
  const emit = emitInOrder(tell);
  const tools = request?.tools ?? [];
  const isCutOff = answer.stopReason === "length";
  const prepared: PreparedCall[] = [];
  for (const block of answer.content) {
    if (block.type === "toolCall") prepared.push(await prepare(block, tools, isCutOff, config, signal));
  }
  const isInterruptible = config.interruptMode?.() === "immediate";
  const allowsParallel = prepared.every((call) => !("pending" in call) || call.pending.tool.executionMode === "parallel");
  if (allowsParallel && !isInterruptible) return Promise.all(prepared.map((call) => execute(call, config, emit, signal)));
  const results: ToolResultMessage[] = [];
  for (const call of prepared) {
    const isOvertaken = isInterruptible && config.hasSteering?.();
    results.push(await execute(isOvertaken ? skipped(call) : call, config, emit, signal));
  }
  return results;
}

async function prepare(
  toolCall: ToolCall,
  tools: readonly AgentTool[],
  isCutOff: boolean,
  config: AgentLoopConfig,
  signal: AbortSignal,
): Promise<PreparedCall> {
  try {
    if (isCutOff) {
      throw new ToolError(
        "cut_off",
        "The answer reached its output limit, so this call may be incomplete and was not run. Send it again.",
      );
    }
    const tool = tools.find(({ name }) => name === toolCall.name);
    if (!tool) {
      const names = tools.map(({ name }) => name).join(", ") || "none";
      throw new ToolError("unknown_tool", `There is no tool named "${toolCall.name}". Available: ${names}.`);
    }
    if (toolCall.argumentsError !== undefined) throw new ToolError("invalid_arguments", toolCall.argumentsError);
    // Loaded with the first call, because only tool calls need a validator.
    const { validateArguments } = await import("./validate-arguments.ts");
    const patternsFor = config.patternsFor?.bind(config);
    const args = tool.prepareArguments ? tool.prepareArguments(structuredClone(toolCall.arguments)) : toolCall.arguments;
    const pending = { toolCall, tool, params: await validateArguments(tool, args as Record<string, unknown>, patternsFor) };
    // After an abort no call is started, so the hook is not called.
    if (signal.aborted) return { toolCall, pending };
    const verdict = await withinGrace("the tool", async () => config.beforeToolCall?.(pending, signal), signal);
    if (verdict && "refuse" in verdict) throw new ToolError("refused", verdict.refuse);
    if (!verdict) return { toolCall, pending };
    // Arguments from a hook must be valid too.
    const params = await validateArguments(tool, verdict.params as Record<string, unknown>, patternsFor);
    return { toolCall, pending: { ...pending, params } };
  } catch (error) {
    return { toolCall, refusal: toToolError(error) };
  }
}

function skipped(call: PreparedCall): PreparedCall {
  if ("refusal" in call) return call;
  const text = "Skipped: the user sent a message while earlier calls ran. Read it first, then decide whether this is still wanted.";
  return { toolCall: call.toolCall, refusal: new ToolError("skipped", text) };
}

async function execute(
  prepared: PreparedCall,
  config: AgentLoopConfig,
  emit: Emit,
  signal: AbortSignal,
): Promise<ToolResultMessage> {
  const { id: toolCallId, name: toolName, arguments: args } = prepared.toolCall;
  const display = "pending" in prepared ? displayCall(prepared.pending) : undefined;
  await emit({ type: "tool_execution_start", toolCallId, toolName, args, ...(display ? { display } : {}) });
  const { result, isError } =
    "refusal" in prepared ? errorOutcome(prepared.refusal) : await run(prepared.pending, display, config, emit, signal);
  await emit({ type: "tool_execution_end", toolCallId, toolName, result, isError });
  return { role: "toolResult", toolCallId, toolName, ...result, isError, timestamp: Date.now() };
}

async function run(
  pending: PendingToolCall,
  ofCall: ToolDisplay | undefined,
  config: AgentLoopConfig,
  emit: Emit,
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  const { toolCall, tool, params } = pending;
  if (signal.aborted) return errorOutcome(new ToolError("aborted", "Not started: the run was aborted."));
  let isOver = false;
  const onUpdate = (partialResult: AgentToolResult) => {
    if (isOver) return;
    const { id: toolCallId, name: toolName, arguments: args } = toolCall;
    void emit({
      type: "tool_execution_update",
      toolCallId,
      toolName,
      args,
      partialResult: withGivenDisplay(cutDeep(partialResult)),
    });
  };
  const work = async (): Promise<ToolCallOutcome> => {
    const outcome = await call(tool, toolCall.id, params, signal, onUpdate).catch((error: unknown) =>
      errorOutcome(toToolError(error)),
    );
    const { result, isError } = (await config.afterToolCall?.(pending, outcome, signal)) ?? outcome;
    return { result: withDisplay(result, pending, { ofCall, isError }), isError };
  };
  try {
    return await withinGrace("the tool", work, signal);
  } catch (error) {
    return errorOutcome(toToolError(error));
  } finally {
    isOver = true;
  }
}

async function call(tool: AgentTool, ...args: Parameters<AgentTool["execute"]>): Promise<ToolCallOutcome> {
  const result: Partial<AgentToolResult> | undefined = await tool.execute(...args);
  if (!Array.isArray(result?.content)) {
    throw new ToolError("bad_result", `The tool ${tool.name} returned no content. This is a fault of the tool; try another way.`);
  }
  const { content, details, display } = result as AgentToolResult;
  return {
    result: { content: content.map(toContent), details: cutDeep(details ?? null), ...(display === undefined ? {} : { display }) },
    isError: false,
  };
}

/** Replaces content that no provider accepts with a note, because it would fail every later request. */
function toContent(block: AgentToolResult["content"][number]): AgentToolResult["content"][number] {
  if (block?.type === "image") return imageOrNote(block);
  if (block?.type === "text" && typeof block.text === "string") return block;
  return { type: "text", text: "[Something was here that is neither text nor an image.]" };
}

function toToolError(error: unknown): ToolError {
  if (isToolError(error)) return error;
  return new ToolError("failed", error instanceof Error ? error.message : String(error), { cause: error });
}

function errorOutcome(error: ToolError): ToolCallOutcome {
  // The model must get a text, even if the error has an empty message.
  const text = error.message || `The tool failed (${error.code}).`;
  return { result: { content: [{ type: "text", text }], details: cutDeep(error.details ?? null) }, isError: true };
}
