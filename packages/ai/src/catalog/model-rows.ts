import type { Model } from "../types.ts";

/** The common fields of all models in one generated file. */
type ModelSource = Pick<Model, "api" | "provider" | "baseUrl">;

/**
 * A model in a generated file; a tuple, to keep the files small. `abilities` has `r` if the model can reason and `i` if it accepts
 * images; both limits are tokens; `cost` is US dollars per million tokens.
 */
export type ModelRow = readonly [
  id: string,
  name: string,
  abilities: "" | "r" | "i" | "ri",
  contextWindow: number,
  maxTokens: number,
  cost: readonly [input: number, output: number, cacheRead: number, cacheWrite: number],
  compat?: Readonly<Record<string, unknown>>,
];

/** The models of a provider in a generated file. */
export type ModelRows = readonly [source: ModelSource, rows: readonly ModelRow[]];

/** Converts rows to models. */
export function toModels([source, rows]: ModelRows): readonly Model[] {
  return rows.map(([id, name, abilities, contextWindow, maxTokens, [input, output, cacheRead, cacheWrite], compat]) => ({
    id,
    name,
    ...source,
    reasoning: abilities.includes("r"),
    input: abilities.includes("i") ? ["text", "image"] : ["text"],
    contextWindow,
    maxTokens,
    cost: { input, output, cacheRead, cacheWrite },
    ...(compat ? { compat: { ...compat } } : {}),
  }));
}
