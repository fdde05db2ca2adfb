import { calcPrice, findProvider, type TieredPrices } from "@pydantic/genai-prices";
import type { ModelCost } from "../../packages/ai/src/types.ts";

/**
 * The moment whose prices are written down: a fixed one, so that the same data give the same files on any day. Move it when the data
 * package is updated. At noon UTC no vendor has its peak surcharge (DeepSeek's hours are 01–04 and 06–10).
 */
const pricesAsOf = new Date("2026-12-01T12:00:00Z");

/** A model of the price list. */
export interface PricedModel {
  id: string;
  /** As the list has it, and absent for many. */
  name: string | undefined;
  contextWindow: number | undefined;
}

/** Every model that the price list has of a provider, by the list's own provider id. */
export function pricedModels(provider: string): PricedModel[] {
  const entry = findProvider({ providerId: provider });
  if (!entry)
    throw new Error(`@pydantic/genai-prices has no provider "${provider}": correct its name in scripts/catalog/sources.ts.`);
  return entry.models.map(({ id, name, context_window }) => ({ id, name, contextWindow: context_window }));
}

/**
 * The price of a model, undefined when the list has none under exactly this id. Where long prompts cost more, it is the price of
 * short ones.
 */
export function priceOf(provider: string, id: string): ModelCost | undefined {
  const found = calcPrice({}, id, { providerId: provider, timestamp: pricesAsOf });
  // The list also matches prefixes, and would sell a new model at the price of the one that it replaces.
  return found?.model.id === id ? toCost(found) : undefined;
}

/** The price of a former model by the name under which it was sold, which the list may have under another one. */
export function formerPriceOf(provider: string, name: string): ModelCost | undefined {
  const found = calcPrice({}, name, { providerId: provider, timestamp: pricesAsOf });
  return found ? toCost(found) : undefined;
}

function toCost(found: NonNullable<ReturnType<typeof calcPrice>>): ModelCost | undefined {
  const { input_mtok, output_mtok, cache_read_mtok, cache_write_mtok } = found.model_price;
  if (input_mtok === undefined || output_mtok === undefined) return undefined;
  return {
    input: base(input_mtok),
    output: base(output_mtok),
    // Without a price of its own, a token that came from a cache costs what every other token does.
    cacheRead: base(cache_read_mtok ?? input_mtok),
    cacheWrite: base(cache_write_mtok ?? 0),
  };
}

function base(price: number | TieredPrices): number {
  return typeof price === "number" ? price : price.base;
}
