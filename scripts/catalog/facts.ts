import { MODEL_CONFIGS, type ModelConfig } from "llm-zoo";
import type { Model } from "../../packages/ai/src/types.ts";
import { type Facts, familyOf } from "./families.ts";

/** A name that is the same for a model at every host: `moonshotai/Kimi-K2.6` and `kimi-k2.6` are both `kimi-k2-6`. */
export function plainName(id: string): string {
  return id
    .slice(id.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(".", "-");
}

/** The names of each model that a vendor sells itself and has not switched off, the shorter one first. */
export function vendorIds(vendor: string): string[][] {
  return namesOf(vendor, ({ retired }) => !retired);
}

/** The same of every model that a vendor ever sold itself. */
export function everyVendorId(vendor: string): string[][] {
  return namesOf(vendor, () => true);
}

function namesOf(vendor: string, isMeant: (config: ModelConfig) => boolean | undefined): string[][] {
  return Object.values(MODEL_CONFIGS)
    .filter((config) => config.provider === vendor && !config.openRouterOnly && canCallTools(config) && isMeant(config))
    .map(({ shortName, fullName }) => [shortName, fullName]);
}

/**
 * What is known of a model, undefined when it is nothing: what its vendor's own catalog has, else what was written down for its
 * family, else what llm-zoo says.
 *
 * @param vendorModels - Models that were built before.
 */
export function factsOf(id: string, vendorModels: readonly Model[]): Facts | undefined {
  const plain = plainName(id);
  const original = vendorModels.find((model) => plainName(model.id) === plain);
  if (original) {
    const { name, reasoning, input, contextWindow, maxTokens } = original;
    return { name, reasoning, image: input.includes("image"), contextWindow, maxTokens };
  }
  const fromZoo = zooFacts(plain);
  const ofFamily = familyOf(plain)?.facts;
  return ofFamily ? { ...fromZoo, ...ofFamily } : fromZoo;
}

/** One model is several entries there, one for each way of calling it. */
function zooFacts(plain: string): Facts | undefined {
  const configs = Object.values(MODEL_CONFIGS).filter(
    (config) => (plainName(config.shortName) === plain || plainName(config.fullName) === plain) && canCallTools(config),
  );
  const [first] = configs;
  if (!first) return undefined;
  return {
    name: displayName(first),
    reasoning: configs.some(({ capabilities }) => capabilities.supportsReasoning),
    image: configs.some(({ capabilities }) => capabilities.supportsVision),
    contextWindow: Math.max(...configs.map((config) => config.contextWindow)),
    maxTokens: Math.max(...configs.map((config) => config.maxOutputTokens)),
  };
}

function canCallTools({ capabilities }: ModelConfig): boolean {
  return capabilities.supportsFunctionCalling;
}

/** Labels there may end in the way of calling, in brackets, and leave out Claude's first name. */
function displayName({ label, provider }: ModelConfig): string {
  const name = label.replace(/ \([^)]*\)$/, "");
  return provider === "anthropic" && !name.startsWith("Claude") ? `Claude ${name}` : name;
}
