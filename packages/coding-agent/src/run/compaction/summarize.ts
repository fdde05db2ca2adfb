import type { AgentMessage, RequestOptions } from "@pikit/agent";
import {
  AiError,
  type AssistantMessage,
  emptyUsage,
  estimatePromptTokens,
  type Model,
  stream,
  type ThinkingLevel,
  type Usage,
} from "@pikit/ai";
import type { AutoRetry } from "../auto-retry.ts";
import { fitConversation } from "./fit-conversation.ts";
import { type SummaryPrompt, summarySystemPrompt, writeSummaryPrompt } from "./summary-prompt.ts";

export interface SummaryRequest extends Omit<SummaryPrompt, "messages"> {
  messages: readonly AgentMessage[];
  model: Model;
  /** Tokens that fit a request with its answer; 0 if unknown. */
  contextWindow: number;
  /** Maximum tokens of the answer. */
  maxTokens: number;
  /** The level of the session. A summary uses `low` or `off`. */
  thinkingLevel: ThinkingLevel;
  /** Called before each request, because keys expire. */
  requestOptions(model: Model): RequestOptions | Promise<RequestOptions>;
  /** Retries temporary failures. */
  retry: Pick<AutoRetry, "shouldRetry" | "observe">;
  signal: AbortSignal;
}

export interface Summary {
  text: string;
  /** The usage of all requests, including failed ones. */
  usage: Usage;
}

/** The assumed window if none is known, in tokens. If a request is too long, it is shortened. */
const assumedWindow = 100_000;

/** How often requests are halved after the provider refused them as too long. */
const mostHalvings = 4;

/** A low estimate of the UTF-8 bytes per token: tool outputs have fewer than prose. */
const bytesPerToken = 3;

/** Minimum `maxTokens` for thinking. Below it, all tokens are for the summary. */
const leastForThinking = 4096;

/**
 * Summarises messages with the model. Long conversations need several requests; each continues the summary of the previous one.
 *
 * @throws {AiError} When a request fails after its retries, or its answer cannot be used; `aborted` after an abort.
 */
export async function summarize(request: SummaryRequest): Promise<Summary> {
  const usage = emptyUsage();
  for (let divisor = 1; ; divisor *= 2) {
    const chunks = fitConversation(request.messages, Math.floor(roomForMessages(request) / divisor));
    try {
      let text = request.previousSummary;
      for (const [index, messages] of (chunks.length > 0 ? chunks : [[]]).entries()) {
        const isLast = index >= chunks.length - 1;
        const answer = await ask({ ...request, previousSummary: text, isSplit: request.isSplit && isLast }, messages, usage);
        text = usableText(answer);
      }
      return { text, usage };
    } catch (error) {
      if (!isTooLong(error) || divisor >= 2 ** mostHalvings) throw error;
    }
  }
}

/** UTF-8 bytes of conversation that fit a request together with the prompt, the previous summary and the answer. */
function roomForMessages({ contextWindow, maxTokens, previousSummary, instructions }: SummaryRequest): number {
  const prompt = writeSummaryPrompt({ messages: [], previousSummary, instructions, isSplit: true });
  const promptTokens = estimatePromptTokens({ systemPrompt: summarySystemPrompt + prompt, messages: [] });
  const window = contextWindow > 0 ? contextWindow : assumedWindow;
  return Math.max(2000, bytesPerToken * (window - promptTokens - 2 * maxTokens));
}

async function ask(request: SummaryRequest, messages: readonly string[], usage: Usage): Promise<AssistantMessage> {
  const { model, maxTokens, retry, signal, thinkingLevel } = request;
  const content = writeSummaryPrompt({ ...request, messages });
  const reasoning = model.reasoning && thinkingLevel !== "off" && maxTokens >= leastForThinking ? "low" : "off";
  for (;;) {
    const options = await request.requestOptions(model);
    const context = { systemPrompt: summarySystemPrompt, messages: [{ role: "user" as const, content, timestamp: Date.now() }] };
    // No later request has this prefix, so writing the provider's cache would cost money without a benefit.
    const events = stream(model, context, { ...options, cacheRetention: "none", maxTokens, reasoning, signal });
    const answer = await events.result();
    addUsage(usage, answer.usage);
    if (answer.stopReason !== "error") {
      await retry.observe(answer);
      if (answer.stopReason === "aborted") throw events.failure ?? aborted();
      return answer;
    }
    const { failure } = events;
    if (!(await retry.shouldRetry({ answer, failure }, signal))) {
      if (signal.aborted) throw aborted();
      throw failure ?? new AiError("bad_response", answer.errorMessage ?? "The summary failed.");
    }
  }
}

function usableText({ content, stopReason }: AssistantMessage): string {
  const text = content
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("")
    .trim();
  if (text !== "") return text;
  const why = stopReason === "length" ? "reached its limit before its first word" : "was empty";
  throw new AiError("bad_response", `The model's summary ${why}.`, { retryable: false });
}

function isTooLong(error: unknown): boolean {
  const { code } = error as Partial<AiError>;
  return code === "context_overflow" || code === "request_too_large";
}

function aborted(): AiError {
  return new AiError("aborted", "The compaction was aborted.");
}

function addUsage(sum: Usage, usage: Usage): void {
  for (const key of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const) sum[key] += usage[key];
  for (const key of ["input", "output", "cacheRead", "cacheWrite", "total"] as const) sum.cost[key] += usage.cost[key];
}
