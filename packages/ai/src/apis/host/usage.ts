import type { Model, Usage } from "../../types.ts";
import { priceUsage } from "../../usage.ts";

const counts = ["input", "output", "cacheRead", "cacheWrite"] as const;

type Fields = Record<string, unknown>;

/**
 * Reads the usage that a host has sent.
 *
 * @param wrong - Creates the error for a value that cannot be read.
 */
export function readUsage(value: unknown, model: Model, wrong: (problem: string) => Error): Usage {
  const fields = toFields(value, "usage", wrong);
  for (const name of counts) checkNumber(fields[name], `usage.${name}`, wrong);
  const usage = priceUsage(model, fields);
  if (fields.cost === undefined || fields.cost === null) return usage;
  const cost = toFields(fields.cost, "usage.cost", wrong);
  const read = (name: string) => checkNumber(cost[name], `usage.cost.${name}`, wrong) ?? 0;
  const [input, output, cacheRead, cacheWrite] = [read("input"), read("output"), read("cacheRead"), read("cacheWrite")];
  const total = checkNumber(cost.total, "usage.cost.total", wrong) ?? input + output + cacheRead + cacheWrite;
  return { ...usage, cost: { input, output, cacheRead, cacheWrite, total } };
}

function toFields(value: unknown, name: string, wrong: (problem: string) => Error): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(`Field "${name}" must be an object`);
  return value as Fields;
}

/** @returns Undefined for an absent number. */
function checkNumber(value: unknown, name: string, wrong: (problem: string) => Error): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw wrong(`Field "${name}" must be a number that is not negative`);
}
