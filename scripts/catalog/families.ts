/** What is known of a model besides its price. Limits are tokens; 0 where nobody says. */
export interface Facts {
  name?: string;
  reasoning: boolean;
  image: boolean;
  contextWindow: number;
  maxTokens: number;
}

/** Models of a present generation that can chat and call tools. */
export interface Family {
  /** On plain names: lower case, dashes for dots, no vendor. */
  match: RegExp;
  /** Where llm-zoo has no entry, or a wrong one. */
  facts?: Facts;
}

/** Variants for something else than an agent's work, or that need a request of their own kind. */
const specialist = /audio|chat|embed|fast|guard|her$|image|live|moderation|multi-agent|ocr|omni|realtime|search|transcribe|tts/;

/** The family of a plain name; undefined for models of past generations, for specialists and for unknown ones. */
export function familyOf(plainName: string): Family | undefined {
  return specialist.test(plainName) ? undefined : families.find(({ match }) => match.test(plainName));
}

function facts(abilities: "" | "r" | "i" | "ri", contextWindow: number, maxTokens: number): Facts {
  return { reasoning: abilities.includes("r"), image: abilities.includes("i"), contextWindow, maxTokens };
}

/**
 * What the catalog holds: for each vendor the present generation and the one that it replaced, as of November 2026. A generation that
 * is missing here is left out, deprecated ones on purpose. Facts are the vendors' own, as models.dev and the models' pages had them
 * then; context windows are those of the model, hosts may serve less.
 */
const families: readonly Family[] = [
  // Vendors whose models llm-zoo follows.
  { match: /^claude-(fable|haiku|opus|sonnet)-(4-[5-9]|5)/ },
  // Rounded there.
  { match: /^gpt-4-1/, facts: facts("i", 1_047_576, 32_768) },
  { match: /^gpt-[56]/ },
  { match: /^gpt-oss-(20|120)b$/, facts: facts("r", 131_072, 32_768) },
  // Listed by Google and missing in llm-zoo.
  { match: /^gemini-2-5-flash-lite$/, facts: facts("ri", 1_048_576, 65_536) },
  { match: /^gemini-(2-5|3|4)(?!.*-preview-\d)/ },
  // Sees images, other than llm-zoo says.
  { match: /^grok-4-3$/, facts: facts("ri", 1_000_000, 128_000) },
  { match: /^grok-build-/, facts: facts("ri", 256_000, 256_000) },
  { match: /^grok-4-[5-9]$/ },
  { match: /^deepseek-v3-2$/, facts: facts("r", 163_840, 65_536) },
  // The releases that hosts serve under a dated name.
  { match: /^deepseek-v4-pro-0813$/, facts: facts("r", 1_048_576, 393_216) },
  { match: /^deepseek-v4-1-flash$/, facts: facts("ri", 1_048_576, 393_216) },
  { match: /^deepseek-(flash|v4-flash|v4-pro)$/ },
  { match: /^kimi-k(2-[5-9]|3)/ },
  // llm-zoo has a window of 80,000 for it.
  { match: /^glm-5$/, facts: facts("r", 204_800, 131_072) },
  { match: /^glm-4-6$/, facts: facts("r", 204_800, 131_072) },
  { match: /^glm-(4-6v|4-7|5)/ },
  { match: /^minimax-m(2-[5-9]|3)/ },

  // Others, and open weights.
  { match: /^qwen3-coder-(flash|plus)$/, facts: facts("", 1_000_000, 65_536) },
  { match: /^qwen3-coder/, facts: facts("", 262_144, 65_536) },
  { match: /^qwen3-max-thinking$/, facts: facts("r", 262_144, 65_536) },
  { match: /^qwen3-max$/ },
  { match: /^qwen3-next-80b-a3b-thinking$/, facts: facts("r", 262_144, 32_768) },
  { match: /^qwen3-next-80b-a3b-instruct$/, facts: facts("", 262_144, 32_768) },
  { match: /^qwen3-vl-235b-a22b-thinking$/, facts: facts("ri", 262_144, 32_768) },
  { match: /^qwen3-vl-235b-a22b-instruct$/, facts: facts("i", 262_144, 32_768) },
  { match: /^qwen3-5-(flash|plus)/, facts: facts("ri", 1_000_000, 65_536) },
  { match: /^qwen3-6-max-preview$/, facts: facts("r", 262_144, 65_536) },
  { match: /^qwen3-6-(flash|plus)$/, facts: facts("ri", 1_000_000, 65_536) },
  { match: /^qwen3-7-max$/, facts: facts("r", 1_000_000, 131_072) },
  { match: /^qwen3-7-plus$/, facts: facts("ri", 1_000_000, 65_536) },
  { match: /^qwen-?3-8-27b$/, facts: facts("ri", 262_144, 32_768) },
  { match: /^qwen3-[56]-\d/, facts: facts("ri", 262_144, 65_536) },
  { match: /^codestral-2508$/, facts: facts("", 128_000, 128_000) },
  { match: /^ministral-(3|8|14)b-2512$/, facts: facts("i", 262_144, 262_144) },
  { match: /^mistral-large-2512$/, facts: facts("i", 262_144, 262_144) },
  { match: /^mistral-large-4$/, facts: facts("ri", 524_288, 262_144) },
  { match: /^mistral-medium-3-5$/, facts: facts("ri", 262_144, 262_144) },
  { match: /^mistral-small-2603$/, facts: facts("ri", 262_144, 262_144) },
  { match: /^gemma-4-/, facts: facts("ri", 262_144, 32_768) },
  { match: /^llama-3-1-8b-instant$/, facts: facts("", 131_072, 131_072) },
  { match: /^llama-3-3-70b-/, facts: facts("", 131_072, 32_768) },
  { match: /^llama-4-(maverick|scout)/, facts: facts("i", 131_072, 16_384) },
  { match: /^nemotron-3-nano-30b-a3b$/, facts: facts("r", 262_144, 262_144) },
  { match: /^nemotron-3-super-/, facts: facts("r", 262_144, 262_144) },
  { match: /^nemotron-3-ultra-/, facts: facts("r", 1_000_000, 128_000) },
  { match: /^nova-2-lite/, facts: facts("ri", 1_000_000, 65_535) },
  { match: /^nova-premier/, facts: facts("i", 1_000_000, 32_000) },
  { match: /^command-a$/, facts: facts("", 256_000, 8_192) },
  { match: /^seed-1-6/, facts: facts("ri", 262_144, 32_768) },
  { match: /^seed-2-0/, facts: facts("ri", 262_144, 131_072) },
  { match: /^kat-coder-pro-v2$/, facts: facts("", 256_000, 80_000) },
  { match: /^mercury-2$/, facts: facts("r", 128_000, 50_000) },
  { match: /^mimo-v2-5$/, facts: facts("ri", 1_048_576, 131_072) },
  { match: /^mimo-v2-5-pro$/, facts: facts("r", 1_048_576, 131_072) },
  { match: /^solar-pro-3$/, facts: facts("r", 131_072, 131_072) },
  { match: /^step-3-5-flash$/, facts: facts("r", 262_144, 0) },
  { match: /^step-3-7-flash$/, facts: facts("ri", 256_000, 0) },
  { match: /^trinity-large-thinking$/, facts: facts("r", 262_144, 262_144) },
];
