import { type Model, parseThinkingLevel, type ThinkingLevel } from "@pikit/ai";
import type { ModelRegistry } from "./model-registry.ts";

export interface ResolvedModel {
  model: Model | undefined;
  thinkingLevel?: ThinkingLevel;
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

/** @throws {UsageError} When the provider has no models or does not exist. */
export async function findProviderDefault(registry: ModelRegistry, provider: string): Promise<Model> {
  const model = await registry.defaultOf(provider);
  if (model) return model;
  throw await (await import("./model-not-found.ts")).missingProvider(registry, provider);
}
