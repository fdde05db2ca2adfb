import { type AssistantMessage, emptyUsage, type Message, type Model, stream } from "@pikit/ai";
import type { Emit } from "./agent-loop.ts";
import type { AgentLoopConfig, AgentMessage, ModelRequest } from "./types.ts";

export interface AssistantTurn {
  answer: AssistantMessage;
  /** What the answer was asked for with; absent when preparing the request failed. */
  request: ModelRequest | undefined;
}

/**
 * Makes one model call and tells of its answer while it arrives. Whatever fails, also in the caller's hooks, becomes an answer with
 * `stopReason` `error` or `aborted`, so that every turn has exactly one answer.
 */
export async function runAssistantTurn(
  transcript: AgentMessage[],
  config: AgentLoopConfig,
  emit: Emit,
  signal: AbortSignal,
): Promise<AssistantTurn> {
  let request: ModelRequest | undefined;
  let answer: AssistantMessage;
  try {
    request = await config.nextRequest();
    const messages = await (config.toModelMessages ?? keepModelMessages)(transcript);
    answer = await streamAnswer(request, messages, emit, signal);
  } catch (error) {
    answer = failedAnswer(request?.model, error, signal);
    await emit({ type: "message_start", message: answer });
    const reason = signal.aborted ? "aborted" : "error";
    await emit({ type: "message_update", message: answer, assistantMessageEvent: { type: "error", reason, error: answer } });
  }
  transcript.push(answer);
  await emit({ type: "message_end", message: answer });
  return { answer, request };
}

async function streamAnswer(
  request: ModelRequest,
  messages: Message[],
  emit: Emit,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const { model, systemPrompt, tools, thinkingLevel = "off", options } = request;
  const events = stream(
    model,
    { messages, ...(systemPrompt ? { systemPrompt } : {}), ...(tools.length > 0 ? { tools: [...tools] } : {}) },
    { ...options, signal, reasoning: thinkingLevel },
  );
  let isStarted = false;
  for await (const event of events) {
    const message = event.type === "done" ? event.message : event.type === "error" ? event.error : event.partial;
    if (!isStarted) {
      isStarted = true;
      await emit({ type: "message_start", message });
    }
    // Most listeners answer at once; awaiting each of ten thousand deltas would cost more than the deltas.
    const wait = emit({ type: "message_update", message, assistantMessageEvent: event });
    if (wait !== undefined) await wait;
  }
  return events.result();
}

/** Without an owner's own rule, messages of roles that no provider knows stay in the transcript only. */
function keepModelMessages(messages: readonly AgentMessage[]): Message[] {
  return messages.filter(
    (message): message is Message => message.role === "user" || message.role === "assistant" || message.role === "toolResult",
  );
}

function failedAnswer(model: Model | undefined, error: unknown, signal: AbortSignal): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: model?.api ?? "unknown",
    provider: model?.provider ?? "unknown",
    model: model?.id ?? "unknown",
    usage: emptyUsage(),
    stopReason: signal.aborted ? "aborted" : "error",
    errorMessage: error instanceof Error ? error.message : String(error),
    timestamp: Date.now(),
  };
}
