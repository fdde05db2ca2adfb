import { isDeepStrictEqual } from "node:util";
import type { PendingToolCall, ToolCallOutcome, ToolCallVerdict } from "@pikit/agent";
import type { HookEvents } from "./events.ts";
import { type Callers, callHandlers, resultOf } from "./handler-results.ts";

type CallEvent = HookEvents["tool_call"]["event"];

/** See `SessionHooks.toolCall`. If a handler fails, the call is refused, because the handler might have blocked it. The run continues. */
export async function checkToolCall(
  callers: Callers,
  { toolCall, params }: PendingToolCall,
  signal: AbortSignal,
): Promise<ToolCallVerdict | undefined> {
  let verdict: { params: unknown } | undefined;
  let shown: CallEvent | undefined;
  const event = (): CallEvent => {
    const input = structuredClone((verdict ?? { params }).params) as Record<string, unknown>;
    shown = { type: "tool_call", toolCallId: toolCall.id, toolName: toolCall.name, args: input, input };
    return shown;
  };
  for await (const outcome of callHandlers(callers, "tool_call", event, { signal })) {
    if ("failure" in outcome) {
      return { refuse: `Not run: the extension ${outcome.extension.path} checks calls and failed: ${outcome.failure}` };
    }
    const { block, reason, args } = resultOf<"tool_call">(outcome);
    if (block === true) return { refuse: reason || "Not run: an extension has blocked this call." };
    const changed = typeof args === "object" && args !== null ? args : changedInPlace(shown, (verdict ?? { params }).params);
    if (changed !== undefined) verdict = { params: structuredClone(changed) };
  }
  return verdict;
}

/** See `SessionHooks.toolResult`. */
export async function changeToolResult(
  callers: Callers,
  { toolCall, params }: PendingToolCall,
  outcome: ToolCallOutcome,
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  let { result, isError } = outcome;
  const args = params as Record<string, unknown>;
  const event = (): HookEvents["tool_result"]["event"] => ({
    ...{ type: "tool_result", toolCallId: toolCall.id, toolName: toolCall.name, args, input: args },
    ...result,
    isError,
  });
  for await (const handled of callHandlers(callers, "tool_result", event, { signal })) {
    const changed = resultOf<"tool_result">(handled);
    // Text for people that was made of other content would show what the handler may have removed.
    if (Array.isArray(changed.content)) result = { content: changed.content, details: result.details };
    if (changed.display !== undefined) result = { ...result, display: changed.display };
    if (changed.details !== undefined) result = { ...result, details: changed.details };
    if (typeof changed.isError === "boolean") isError = changed.isError;
  }
  return { result, isError };
}

/** The arguments of a call that a handler has changed in place, or replaced in its event; undefined if they are the same. */
function changedInPlace(shown: CallEvent | undefined, before: unknown): object | undefined {
  if (!shown) return undefined;
  const { args, input } = shown;
  for (const each of [input, args]) {
    if (typeof each === "object" && each !== null && !isDeepStrictEqual(each, before)) return each;
  }
  return undefined;
}
