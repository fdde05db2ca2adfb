import type { AssistantMessage, Model, Usage } from "./types.ts";

/** How providers and local servers say that a conversation is too long. Numbers may have thousands separators. */
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

/** Texts about rates and quotas, which may speak of tokens too and are cured by waiting, not by a shorter conversation. */
const rateTexts = /rate limit|per minute|per day|quota|throttl/i;

/** Whether a provider's message says that the conversation is longer than the model's window. */
export function isOverflowText(text: string): boolean {
  return !rateTexts.test(text) && overflowTexts.some((pattern) => pattern.test(text));
}

/** From this part of the window on, an answer without a single token had no room, whatever the provider calls it. */
const fullFraction = 0.99;

/** Whether an answer that reached its limit before its first token did so because the prompt fills the window. */
export function isWindowFull({ contextWindow }: Model, usage: Usage): boolean {
  return contextWindow > 0 && usage.output === 0 && promptTokens(usage) >= fullFraction * contextWindow;
}

/**
 * Whether an answer that ended well read more than the model's window holds: some servers cut the beginning off and say nothing. The
 * answer stands, but the conversation has to become shorter. False where the window is not known.
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
