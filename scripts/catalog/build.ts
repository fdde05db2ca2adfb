import type { Model, ModelCost } from "../../packages/ai/src/types.ts";
import { factsOf, plainName, vendorIds } from "./facts.ts";
import type { Facts } from "./families.ts";
import { familyOf } from "./families.ts";
import { type PricedModel, pricedModels, priceOf } from "./prices.ts";
import type { CatalogSource, OverlayModel } from "./sources.ts";

/**
 * Puts the models of all sources together, in their order.
 *
 * @throws {Error} When a model that is written down by hand lacks something that the data do not have either.
 */
export function buildCatalog(sources: readonly CatalogSource[]): Map<string, Model[]> {
  const catalog = new Map<string, Model[]>();
  const vendorModels: Model[] = [];
  for (const source of sources) {
    const models = modelsOf(source, catalog, vendorModels);
    catalog.set(source.provider, models);
    if (source.ids.kind === "vendor") vendorModels.push(...models);
  }
  return catalog;
}

function modelsOf(source: CatalogSource, built: ReadonlyMap<string, Model[]>, vendorModels: readonly Model[]): Model[] {
  const written = (source.models ?? []).map((overlay) => {
    const model = toModel(source, overlay, vendorModels);
    if (model) return model;
    throw new Error(
      `${source.provider}/${overlay.id} in scripts/catalog/sources.ts: the data lack its price or its limits, write them there.`,
    );
  });
  const found = foundIds(source).flatMap((id) => toModel(source, { id }, vendorModels) ?? []);
  const models = new Map<string, Model>();
  for (const model of [...written, ...copiedModels(source, built), ...found]) {
    if (!models.has(model.id) && !source.without?.includes(model.id)) models.set(model.id, model);
  }
  return sorted([...models.values()], source);
}

/** Models of providers that were built before, as this one serves them. */
function copiedModels(source: CatalogSource, built: ReadonlyMap<string, Model[]>): Model[] {
  const origins = source.ids.kind === "copy" ? { "": source.ids.of } : (source.vendors ?? {});
  return Object.entries(origins).flatMap(([prefix, provider]) => {
    const models = built.get(provider);
    if (!models)
      throw new Error(`scripts/catalog/sources.ts: ${provider} must come before ${source.provider}, which refers to it.`);
    // What departs from one api says nothing about another.
    return models.map(({ compat: _, ...model }) => ({ ...model, id: routedId(prefix, model.id), ...endpointOf(source) }));
  });
}

/** Claude's versions are `4-8` at its vendor and `4.8` elsewhere. */
function routedId(prefix: string, id: string): string {
  return prefix + (prefix === "anthropic/" ? id.replace(/-(\d+)-(\d+)$/, "-$1.$2") : id);
}

/** A vendor's models newest first, a router's by name, and those written by hand as they were written. */
function sorted(models: Model[], { ids }: CatalogSource): Model[] {
  const byId = new Intl.Collator("en", { numeric: true });
  if (ids.kind === "vendor") models.sort((a, b) => byId.compare(b.id, a.id));
  if (ids.kind === "router") models.sort((a, b) => byId.compare(a.id, b.id));
  return models;
}

/** What the data list for a source, as far as it is of a present generation. */
function foundIds({ ids, prices }: CatalogSource): string[] {
  if (ids.kind === "written" || ids.kind === "copy") return [];
  const priced = pricedModels(prices).map(({ id }) => id);
  const found =
    ids.kind === "vendor"
      ? vendorIds(ids.vendor).map((names) => names.find((name) => priced.includes(name)) ?? "")
      : // `~vendor/name` and `name:variant` are other ways to the same models.
        priced.filter((id) => /^[^~:]+\/[^:]+$/.test(id));
  return found.filter((id) => familyOf(plainName(id)) !== undefined);
}

function toModel(source: CatalogSource, overlay: OverlayModel, vendorModels: readonly Model[]): Model | undefined {
  const { id, cost = priceOf(source.prices, id), compat, ...written } = overlay;
  const priced = pricedModels(source.prices).find((model) => model.id === id);
  const facts = { ...factsOf(id, vendorModels), ...written };
  if (cost === undefined || !isComplete(facts)) return undefined;
  // A router says how much of a window its hosts serve; the lists of others have it rounded.
  const contextWindow = (source.ids.kind === "router" && priced?.contextWindow) || facts.contextWindow;
  return {
    id,
    name: written.name ?? nameOf(priced, facts) ?? id.slice(id.lastIndexOf("/") + 1),
    ...endpointOf(source),
    reasoning: facts.reasoning,
    input: facts.image ? ["text", "image"] : ["text"],
    contextWindow,
    maxTokens: Math.min(facts.maxTokens, contextWindow),
    cost: rounded(cost),
    ...(compat ? { compat } : {}),
  };
}

/** The list's name where it is one and not the id again, in small letters. */
function nameOf(priced: PricedModel | undefined, facts: Facts): string | undefined {
  return priced?.name !== undefined && /[A-Z]/.test(priced.name) ? priced.name : facts.name;
}

function endpointOf({ api, provider, baseUrl }: CatalogSource): Pick<Model, "api" | "provider" | "baseUrl"> {
  return { api, provider, baseUrl };
}

function isComplete(facts: Partial<Facts>): facts is Facts {
  const { reasoning, image, contextWindow, maxTokens } = facts;
  return reasoning !== undefined && image !== undefined && contextWindow !== undefined && maxTokens !== undefined;
}

/** Some prices were divided out of others and end in the noise of that. */
function rounded({ input, output, cacheRead, cacheWrite }: ModelCost): ModelCost {
  const round = (price: number) => Number(price.toFixed(6));
  return { input: round(input), output: round(output), cacheRead: round(cacheRead), cacheWrite: round(cacheWrite) };
}
