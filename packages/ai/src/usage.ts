import type { Model, Usage } from "./types.ts";

/** A usage with all counts 0. */
export function emptyUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** Token counts from an adapter. A count that is missing, negative or not a number counts as 0. */
export interface TokenCounts {
  input?: number | null | undefined;
  output?: number | null | undefined;
  cacheRead?: number | null | undefined;
  cacheWrite?: number | null | undefined;
  /** The part of `cacheWrite` that is kept for an hour instead of minutes. */
  cacheWriteOneHour?: number | null | undefined;
}

/** Price of a cache write that is kept for an hour, as a multiple of the input price. Source: Anthropic, "Prompt caching". */
const oneHourWriteFactor = 2;

/** Adds the sum of the token counts and their price by the model's price table. */
export function priceUsage(model: Pick<Model, "cost">, counts: TokenCounts): Usage {
  const input = toCount(counts.input);
  const output = toCount(counts.output);
  const cacheRead = toCount(counts.cacheRead);
  const cacheWrite = toCount(counts.cacheWrite);
  const oneHour = Math.min(toCount(counts.cacheWriteOneHour), cacheWrite);
  const cost = {
    input: (input * model.cost.input) / 1e6,
    output: (output * model.cost.output) / 1e6,
    cacheRead: (cacheRead * model.cost.cacheRead) / 1e6,
    cacheWrite: ((cacheWrite - oneHour) * model.cost.cacheWrite + oneHour * oneHourWriteFactor * model.cost.input) / 1e6,
  };
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite },
  };
}

function toCount(value: number | null | undefined): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
