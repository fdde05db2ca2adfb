import type { Usage } from "@pikit/ai";
import type { TokenCounts } from "./protocol.ts";

export const noTokens: TokenCounts = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Converts to token counts as in OpenAI's API: the prompt includes cache reads and cache writes. */
export function toTokenCounts({ input, cacheRead, cacheWrite, output }: Usage): TokenCounts {
  const prompt = input + cacheRead + cacheWrite;
  return { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
}

export function addTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  };
}
