import type { Model } from "../../packages/ai/src/types.ts";
import { everyVendorId, factsOf } from "./facts.ts";
import { formerPriceOf } from "./prices.ts";
import type { CatalogSource } from "./sources.ts";

/** Models for something else than an agent's work. */
const specialist = /research|search|audio|image|realtime/;

/**
 * The models that a vendor's catalog leaves out and that somebody may still name: superseded, switched off at the vendor, or served under
 * that name by a proxy. Their names have no date. A price that nobody has is 0.
 */
export function formerModels(source: CatalogSource, listed: readonly Model[]): Model[] {
  if (source.ids.kind !== "vendor") return [];
  const { provider, api, baseUrl, prices } = source;
  const written = (source.former ?? []).map((overlay) => ({ ...factsOf(overlay.id, []), ...overlay }));
  const found = everyVendorId(source.ids.vendor).map(([id = "", sold = id]) => ({ ...factsOf(id, []), id, sold }));
  const models = new Map<string, Model>();
  for (const { id, name = id, reasoning, image, contextWindow, maxTokens, ...others } of [...written, ...found]) {
    const sold = "sold" in others ? others.sold : id;
    const isListed = listed.some((model) => [id, sold].includes(model.id));
    if (isListed || models.has(id) || specialist.test(id) || contextWindow === undefined || maxTokens === undefined) continue;
    models.set(id, {
      ...{ id, name, api, provider, baseUrl, contextWindow, maxTokens },
      reasoning: reasoning ?? false,
      input: image ? ["text", "image"] : ["text"],
      cost: formerPriceOf(prices, sold) ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
  }
  return [...models.values()];
}
