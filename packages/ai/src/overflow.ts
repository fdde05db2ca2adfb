import type { AssistantMessage, Model, Usage } from "./types.ts";

/** Messages of providers and local servers for a conversation that is too long. Numbers may have thousands separators. */
const overflowTexts: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic, Kimi
  /prompt too long/i, // Ollama, z.ai
  /input is too long for requested model/i, // Bedrock
  /context_length_exceeded|exceed_context_size_error|model_context_window_exceeded/i, // OpenAI, llama.cpp, z.ai
  /exceeds? the (?:available )?context (?:window|size)/i, // OpenAI, llama.cpp
  /maximum context length/i, // OpenAI, vLLM, OpenRouter, Mistral
  /(?:longer than|exceeds?) (?:the )?(?:model's )?context length/i, // Together, proxies
  /input token count.*exceeds the maximum/i, // Google
  /maximum prompt length is/i, // xAI
  /reduce the length of the messages/i, // Groq
  /maximum allowed input length/i, // OpenRouter
  /greater than the context length/i, // LM Studio
  /context window exceeds limit/i, // MiniMax
  /exceeded model token limit/i, // Kimi
  /range of input length should be/i, // DashScope
  /prompt token count of .* exceeds the limit/i, // Copilot
  /token limit exceeded|too many tokens/i,
];

/** Texts about rates and quotas. They may mention tokens too, but need a retry, not a shorter conversation. */
const rateTexts = /rate limit|per minute|per day|quota|throttl/i;

/** Whether a provider's message says that the conversation is longer than the model's context window. */
export function isOverflowText(text: string): boolean {
  return !rateTexts.test(text) && overflowTexts.some((pattern) => pattern.test(text));
}

/** If the prompt fills at least this part of the window, an answer without any token means an overflow. */
const fullFraction = 0.99;

/** Whether an answer without any token is empty because the prompt fills the context window. */
export function isWindowFull({ contextWindow }: Model, usage: Usage): boolean {
  return contextWindow > 0 && usage.output === 0 && promptTokens(usage) >= fullFraction * contextWindow;
}

/**
 * Whether a successful answer used more prompt tokens than the context window has: some servers cut the beginning of the prompt without
 * an error. The answer is valid, but the conversation must become shorter. False if the context window is unknown.
 */
export function isSilentOverflow(
  { stopReason, usage }: AssistantMessage,
  { contextWindow }: Pick<Model, "contextWindow">,
): boolean {
  const endedWell = stopReason === "stop" || stopReason === "toolUse";
  return endedWell && contextWindow > 0 && promptTokens(usage) > contextWindow;
}

function promptTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}
