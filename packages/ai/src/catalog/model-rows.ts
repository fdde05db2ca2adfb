import type { Model } from "../types.ts";

/** What the models of one generated file have in common. */
export type ModelSource = Pick<Model, "api" | "provider" | "baseUrl">;

/**
 * A model in a generated file, without names so that the files stay small. `abilities` holds `r` when the model can reason and `i` when
 * it sees images; both limits are tokens; `cost` is US dollars per million tokens.
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

/** The models of a provider, as generated files have them. */
export type ModelRows = readonly [source: ModelSource, rows: readonly ModelRow[]];

/** Writes rows out as models. */
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
