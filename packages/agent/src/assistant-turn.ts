import {
  type AiError,
  type AssistantMessage,
  type AssistantMessageEventStream,
  emptyUsage,
  type Message,
  type Model,
  ownTurn,
  type StreamOptions,
  stream,
} from "@pikit/ai";
import { AnswerWatch } from "./answer-watch.ts";
import type { AgentLoopConfig, AgentMessage, Emit, ModelRequest } from "./types.ts";
import { withinGrace } from "./within-grace.ts";

export interface AssistantTurn {
  answer: AssistantMessage;
  /** The error of the model call, if it failed there. */
  failure: AiError | undefined;
  /** The request for the answer; undefined if preparing it failed. */
  request: ModelRequest | undefined;
}

/**
 * Makes one model call and emits the events of its answer. Any failure, including one of the caller's hooks, becomes an answer with the
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
  let failure: AiError | undefined;
  try {
    request = await withinGrace("a hook", async () => config.nextRequest(), signal);
    const messages = await withinGrace("a hook", async () => (config.toModelMessages ?? keepModelMessages)(transcript), signal);
    const watch = config.watchAnswer && new AnswerWatch((event) => config.watchAnswer?.(event), signal);
    const events = startAnswer(request, messages, { signal: watch?.signal ?? signal, conversation: transcript });
    answer = await tellAnswer(events, watch, emit);
    failure = events.failure;
    // The answers of many sessions may end at the same time.
    await ownTurn();
  } catch (error) {
    answer = await tellFailedAnswer(request?.model, error, emit, signal);
  }
  transcript.push(answer);
  await emit({ type: "message_end", message: answer });
  return { answer, failure, request };
}

/** Emits a turn that holds only a failed answer: for an error or abort between two turns. */
export async function tellFailedTurn(
  model: Model | undefined,
  error: unknown,
  transcript: AgentMessage[],
  emit: Emit,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  await emit({ type: "turn_start" });
  const answer = await tellFailedAnswer(model, error, emit, signal);
  transcript.push(answer);
  await emit({ type: "message_end", message: answer });
  await emit({ type: "turn_end", message: answer, toolResults: [] });
  return answer;
}

async function tellFailedAnswer(
  model: Model | undefined,
  error: unknown,
  emit: Emit,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const answer = failedAnswer(model, error, signal);
  const reason = signal.aborted ? "aborted" : "error";
  await emit({ type: "message_start", message: answer });
  await emit({ type: "message_update", message: answer, assistantMessageEvent: { type: "error", reason, error: answer } });
  return answer;
}

function startAnswer(
  request: ModelRequest,
  messages: Message[],
  own: Pick<StreamOptions, "signal" | "conversation">,
): AssistantMessageEventStream {
  const { model, systemPrompt, tools, thinkingLevel = "off", options } = request;
  return stream(
    model,
    { messages, ...(systemPrompt ? { systemPrompt } : {}), ...(tools.length > 0 ? { tools: [...tools] } : {}) },
    { ...options, ...own, reasoning: thinkingLevel },
  );
}

async function tellAnswer(
  events: AssistantMessageEventStream,
  watch: AnswerWatch | undefined,
  emit: Emit,
): Promise<AssistantMessage> {
  let isStarted = false;
  for (let waiting = await events.takeWaiting(); waiting.length > 0; waiting = await events.takeWaiting()) {
    for (const streamed of waiting) {
      const event = watch?.see(streamed) ?? streamed;
      const message = event.type === "done" ? event.message : event.type === "error" ? event.error : event.partial;
      if (!isStarted) {
        isStarted = true;
        await emit({ type: "message_start", message });
      }
      // Most listeners return no promise, and awaiting each of ten thousand deltas would cost more than the deltas.
      const wait = emit({ type: "message_update", message, assistantMessageEvent: event });
      if (wait !== undefined) await wait;
    }
  }
  return events.result();
}

/** The default of `toModelMessages`: leaves out messages of custom roles. */
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
