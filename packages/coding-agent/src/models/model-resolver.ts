import { type Model, parseThinkingLevel, type ThinkingLevel } from "@pikit/ai";
import type { Settings } from "../config/settings.ts";
import type { ModelRegistry } from "./model-registry.ts";

/** The user's choice of a model. */
export interface ModelChoice {
  /** `id`, `provider/id`, either with `:level`. */
  model?: string | undefined;
  provider?: string | undefined;
}

export interface ResolvedModel {
  model: Model | undefined;
  thinkingLevel?: ThinkingLevel;
}

/**
 * Finds the model to use, in this order: the user's choice, the session's last model, the default of the settings, the default of the first
 * provider with a key, the model in `PI_FALLBACK_MODEL`, none.
 *
 * @param stored - `provider/id` of the session's model; skipped if it no longer exists.
 * @throws {UsageError} With exit code 1 when the chosen model does not exist; the message has the nearest names.
 */
export async function resolveModel(
  registry: ModelRegistry,
  choice: ModelChoice,
  settings: Settings,
  stored?: string,
): Promise<ResolvedModel> {
  if (choice.model !== undefined) return findModel(registry, choice.model, choice.provider);
  if (choice.provider !== undefined) return { model: await findProviderDefault(registry, choice.provider) };
  const storedModel = stored === undefined ? undefined : await findStored(registry, stored);
  if (storedModel) return { model: storedModel };
  if (settings.defaultModel !== undefined) return findModel(registry, settings.defaultModel, settings.defaultProvider);
  if (settings.defaultProvider !== undefined) return { model: await findProviderDefault(registry, settings.defaultProvider) };
  const model = await registry.defaultModel();
  if (model) return { model };
  const fallback = process.env.PI_FALLBACK_MODEL;
  return fallback ? findModel(registry, fallback, undefined) : { model: undefined };
}

async function findStored(registry: ModelRegistry, name: string): Promise<Model | undefined> {
  const slash = name.indexOf("/");
  const found = await registry.find(name.slice(0, slash), name.slice(slash + 1)).catch(() => undefined);
  if (!found) registry.report(`The session's model ${name} cannot be used here any more. The default model is used.`);
  return found;
}

/** Splits a name into the name and the thinking level at its end. */
export function splitLevel(name: string): { name: string; thinkingLevel?: ThinkingLevel } {
  const colon = name.lastIndexOf(":");
  const thinkingLevel = parseThinkingLevel(name.slice(colon + 1));
  return colon <= 0 || thinkingLevel === undefined ? { name } : { name: name.slice(0, colon), thinkingLevel };
}

/**
 * Finds a model by name.
 *
 * @throws {UsageError} With exit code 1 when there is none; the message has the nearest names.
 */
export async function findModel(registry: ModelRegistry, name: string, provider: string | undefined): Promise<ResolvedModel> {
  const exact = await findListed(registry, name, provider);
  if (exact) return { model: exact };
  // A colon counts as the start of a level only now, because ids may contain colons too.
  const { name: shortName, ...level } = splitLevel(name);
  const model =
    (shortName === name ? undefined : await findListed(registry, shortName, provider)) ??
    (await findUnlisted(registry, shortName, provider));
  if (model) return { model, ...level };
  const full = provider === undefined || name.startsWith(`${provider}/`) ? name : `${provider}/${name}`;
  throw await (await import("./model-not-found.ts")).missingModel(registry, full);
}

async function findListed(registry: ModelRegistry, name: string, provider: string | undefined): Promise<Model | undefined> {
  if (provider !== undefined) {
    return (await registry.findListed(provider, withoutProvider(name, provider))) ?? registry.findListed(provider, name);
  }
  const slash = name.indexOf("/");
  if (slash > 0) {
    const model = await registry.findListed(name.slice(0, slash), name.slice(slash + 1));
    if (model) return model;
  }
  const sameId = (await registry.all()).filter(({ id }) => id === name);
  const usable = await Promise.all(sameId.map((model) => registry.isUsable(model)));
  return sameId.find((_model, index) => usable[index]) ?? sameId[0];
}

/** Finds an unlisted model of the given provider, otherwise of the vendor that uses such names. */
async function findUnlisted(registry: ModelRegistry, name: string, provider: string | undefined): Promise<Model | undefined> {
  if (provider !== undefined) return registry.findUnlisted(provider, withoutProvider(name, provider));
  const slash = name.indexOf("/");
  if (slash > 0) return registry.findUnlisted(name.slice(0, slash), name.slice(slash + 1));
  const { vendorOf } = await import("./unlisted-model.ts");
  const vendor = vendorOf(name);
  return vendor === undefined ? undefined : registry.findUnlisted(vendor, name);
}

function withoutProvider(name: string, provider: string): string {
  return name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
}

async function findProviderDefault(registry: ModelRegistry, provider: string): Promise<Model> {
  const model = await registry.defaultOf(provider);
  if (model) return model;
  throw await (await import("./model-not-found.ts")).missingProvider(registry, provider);
}
