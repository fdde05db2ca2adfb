import { type Model, parseThinkingLevel, type ThinkingLevel } from "@pikit/ai";
import type { Settings } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import type { ScopedModel } from "./model-choice.ts";
import type { ModelRegistry } from "./model-registry.ts";

/** What a user asked for. */
export interface ModelChoice {
  /** `id`, `provider/id`, either with `:level`. */
  model?: string | undefined;
  provider?: string | undefined;
}

export interface ResolvedModel {
  model: Model | undefined;
  thinkingLevel?: ThinkingLevel;
}

/** How many names are offered in place of an unknown one. */
const maxSuggestions = 3;

/**
 * Finds the model to use: what was asked for, else the one that the session was last set to, else the settings' default, else the default
 * of the first provider with a key, else the one named by `PI_FALLBACK_MODEL`, else none.
 *
 * @param stored - `provider/id` of the session's model; passed over when it does not exist any more.
 * @throws {UsageError} With exit code 1 when what was asked for does not exist, naming the nearest.
 */
export async function resolveModel(
  registry: ModelRegistry,
  choice: ModelChoice,
  settings: Settings,
  stored?: string,
): Promise<ResolvedModel> {
  if (choice.model !== undefined) return findModel(registry, choice.model, choice.provider);
  if (choice.provider !== undefined) return { model: await findProviderDefault(registry, choice.provider) };
  const storedModel = stored === undefined ? undefined : await findExact(registry, stored, undefined).catch(() => undefined);
  if (storedModel) return { model: storedModel };
  if (settings.defaultModel !== undefined) return findModel(registry, settings.defaultModel, settings.defaultProvider);
  if (settings.defaultProvider !== undefined) return { model: await findProviderDefault(registry, settings.defaultProvider) };
  const model = await registry.defaultModel();
  if (model) return { model };
  const fallback = process.env.PI_FALLBACK_MODEL;
  return fallback ? findModel(registry, fallback, undefined) : { model: undefined };
}

/**
 * The models that names and patterns stand for, each with the level that it is to have, in the order of the list.
 *
 * @param names - `id`, `provider/id`, or a pattern with `*` over `provider/id` or the id; any with `:level`.
 * @throws {UsageError} With exit code 1 when one stands for nothing.
 */
export async function resolveScope(registry: ModelRegistry, names: readonly string[]): Promise<ScopedModel[]> {
  const scope: ScopedModel[] = [];
  for (const name of names) {
    if (name.includes("*")) scope.push(...(await findMatching(registry, name)));
    else {
      const { model, thinkingLevel } = await findModel(registry, name, undefined);
      if (model) scope.push({ model, ...(thinkingLevel ? { thinkingLevel } : {}) });
    }
  }
  return scope.filter(({ model }, index) => {
    const first = scope.findIndex((other) => other.model.provider === model.provider && other.model.id === model.id);
    return first === index;
  });
}

async function findMatching(registry: ModelRegistry, pattern: string): Promise<ScopedModel[]> {
  const { name, thinkingLevel } = splitLevel(pattern);
  const parts = name.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "i");
  const found = (await registry.available()).filter(
    ({ provider, id }) => expression.test(`${provider}/${id}`) || expression.test(id),
  );
  if (found.length === 0) throw new UsageError(`No model that can be used matches "${pattern}". See --list-models.`, 1);
  return found.map((model) => ({ model, ...(thinkingLevel ? { thinkingLevel } : {}) }));
}

function splitLevel(name: string): { name: string; thinkingLevel?: ThinkingLevel } {
  const colon = name.lastIndexOf(":");
  const thinkingLevel = parseThinkingLevel(name.slice(colon + 1));
  return colon <= 0 || thinkingLevel === undefined ? { name } : { name: name.slice(0, colon), thinkingLevel };
}

async function findModel(registry: ModelRegistry, name: string, provider: string | undefined): Promise<ResolvedModel> {
  const exact = await findExact(registry, name, provider);
  if (exact) return { model: exact };
  // Only now is a colon taken for the start of a level: ids may hold colons too.
  const split = splitLevel(name);
  if (split.thinkingLevel) {
    const model = await findExact(registry, split.name, provider);
    if (model) return { model, thinkingLevel: split.thinkingLevel };
  }
  throw await unknownModel(registry, provider === undefined ? name : `${provider}/${name}`);
}

async function findExact(registry: ModelRegistry, name: string, provider: string | undefined): Promise<Model | undefined> {
  if (provider !== undefined) {
    const id = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
    return (await registry.find(provider, id)) ?? registry.find(provider, name);
  }
  const slash = name.indexOf("/");
  if (slash > 0) {
    const model = await registry.find(name.slice(0, slash), name.slice(slash + 1));
    if (model) return model;
  }
  const sameId = (await registry.all()).filter(({ id }) => id === name);
  const usable = await Promise.all(sameId.map((model) => registry.isUsable(model)));
  return sameId.find((_model, index) => usable[index]) ?? sameId[0];
}

async function findProviderDefault(registry: ModelRegistry, provider: string): Promise<Model> {
  const models = (await registry.all()).filter((model) => model.provider === provider);
  if (models[0]) return (await registry.defaultOf(provider)) ?? models[0];
  const names = [...new Set((await registry.all()).map((model) => model.provider))];
  throw new UsageError(`Unknown provider "${provider}". Known: ${names.join(", ")}.`, 1);
}

async function unknownModel(registry: ModelRegistry, name: string): Promise<UsageError> {
  const names = (await registry.all()).map((model) => `${model.provider}/${model.id}`);
  const { nearestNames } = await import("./nearest-names.ts");
  return new UsageError(`Unknown model "${name}". Nearest: ${nearestNames(names, name, maxSuggestions).join(", ")}.`, 1);
}
