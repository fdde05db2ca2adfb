import { type Model, parseThinkingLevel, type ThinkingLevel } from "@pikit/ai";
import type { Settings } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
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
 * provider with a key, the model in `PI_FALLBACK_MODEL`, none. A default that does not exist or has no key is reported, and the next one used.
 *
 * @param stored - `provider/id` of the session's model; skipped if it no longer exists.
 * @param scope - The models to choose from without a choice of the user: the default of the settings if it is among them, else the first.
 * @throws {UsageError} With exit code 1 when the chosen model does not exist; the message has the nearest names.
 */
export async function resolveModel(
  registry: ModelRegistry,
  choice: ModelChoice,
  settings: Settings,
  { stored, scope = [] }: { stored?: string | undefined; scope?: readonly (ResolvedModel & { model: Model })[] | undefined } = {},
): Promise<ResolvedModel> {
  if (choice.model !== undefined) return findModel(registry, choice.model, choice.provider);
  if (choice.provider !== undefined) return { model: await findProviderDefault(registry, choice.provider) };
  const storedModel = stored === undefined ? undefined : await findStored(registry, stored);
  if (storedModel) return { model: storedModel };
  const usual = await findUsual(registry, settings);
  const [first] = scope;
  const chosen = usual && "model" in usual ? usual : undefined;
  if (first) return scope.some(({ model }) => isSame(model, chosen?.model)) && chosen ? chosen : first;
  if (usual && "model" in usual && usual.model && (await registry.isUsable(usual.model))) return usual;
  const model = await registry.defaultModel();
  if (usual) reportUsual(registry, usual, model);
  if (model) return { model };
  // Its request then says which key is missing.
  if (usual && "model" in usual) return usual;
  const fallback = process.env.PI_FALLBACK_MODEL;
  return fallback ? findModel(registry, fallback, undefined) : { model: undefined };
}

/** The default of the settings, or why there is none; undefined if the settings name none. */
async function findUsual(
  registry: ModelRegistry,
  { defaultModel, defaultProvider }: Settings,
): Promise<ResolvedModel | { problem: string } | undefined> {
  try {
    if (defaultModel !== undefined) return await findModel(registry, defaultModel, defaultProvider);
    if (defaultProvider !== undefined) return { model: await findProviderDefault(registry, defaultProvider) };
    return undefined;
  } catch (error) {
    if (error instanceof UsageError && error.code === "unknown_model") return { problem: error.message };
    throw error;
  }
}

/** @param used - The model that is used instead. */
function reportUsual(registry: ModelRegistry, usual: ResolvedModel | { problem: string }, used: Model | undefined): void {
  const name = (model: Model) => `${model.provider}/${model.id}`;
  const instead = used ? ` ${name(used)} is used.` : "";
  if ("problem" in usual) registry.report(`The default model of the settings cannot be used. ${usual.problem}${instead}`);
  else if (usual.model && used) {
    registry.report(`The default model of the settings, ${name(usual.model)}, cannot be used: its provider has no key.${instead}`);
  }
}

function isSame(a: Model, b: Model | undefined): boolean {
  return a.provider === b?.provider && a.id === b.id;
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
 * Finds a model by its name, or by a part of its id or display name, such as `sonnet`.
 *
 * @throws {UsageError} With exit code 1 when there is none; the message has the nearest names.
 */
export async function findModel(registry: ModelRegistry, name: string, provider: string | undefined): Promise<ResolvedModel> {
  const exact = await findListed(registry, name, provider);
  if (exact) return { model: exact };
  // A colon counts as the start of a level only now, because ids may contain colons too.
  const { name: shortName, ...level } = splitLevel(name);
  const find = [
    () => (shortName === name ? undefined : findListed(registry, shortName, provider)),
    () => findUnlisted(registry, shortName, provider),
  ];
  // Every id of a vendor has a version number; a text without one is a part of an id.
  const search = () => searchUsable(registry, shortName, provider);
  if (/\d/.test(shortName)) find.push(search);
  else find.splice(1, 0, search);
  for (const attempt of find) {
    const model = await attempt();
    if (model) return { model, ...level };
  }
  const full = provider === undefined || name.startsWith(`${provider}/`) ? name : `${provider}/${name}`;
  throw await (await import("./model-not-found.ts")).missingModel(registry, full);
}

async function searchUsable(registry: ModelRegistry, text: string, provider: string | undefined): Promise<Model | undefined> {
  const models = await registry.available();
  const { searchModel } = await import("./search-model.ts");
  if (provider === undefined) return searchModel(models, text);
  return searchModel(
    models.filter((model) => model.provider === provider),
    withoutProvider(text, provider),
  );
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
