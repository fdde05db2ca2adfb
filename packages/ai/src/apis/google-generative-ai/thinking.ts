import type { ThinkingConfig } from "@google/genai";
import type { Model, ThinkingLevel } from "../../types.ts";
import { type GoogleCompat, type GoogleLevel, resolveCompat } from "./compat.ts";

/** Converts a thinking level to request fields. */
export function convertThinking(model: Model, level: ThinkingLevel): { thinkingConfig?: ThinkingConfig } {
  if (!model.reasoning) return {};
  const compat = resolveCompat(model);
  const config: ThinkingConfig = level === "off" ? {} : { includeThoughts: true };
  if (compat.thinking === "budget") config.thinkingBudget = budgetFor(level, compat);
  if (compat.thinking === "level") Object.assign(config, { thinkingLevel: levelFor(level, compat) });
  return Object.keys(config).length > 0 ? { thinkingConfig: config } : {};
}

/** Thinking tokens per level, before the model's limits are applied. */
const budgetOfLevel = { minimal: 512, low: 2048, medium: 8192, high: 32_768, xhigh: 32_768 } as const;
const strengthOfLevel = { off: 0, minimal: 0, low: 1, medium: 2, high: 3, xhigh: 3 } as const;
const googleLevels: readonly GoogleLevel[] = ["MINIMAL", "LOW", "MEDIUM", "HIGH"];

/** The budget for a level, within the model's limits. */
function budgetFor(level: ThinkingLevel, { minBudget, maxBudget, budgetOff }: GoogleCompat): number {
  return level === "off" ? budgetOff : Math.min(Math.max(budgetOfLevel[level], minBudget), maxBudget);
}

/** The model's level nearest to ours; of two equally near levels, the stronger. */
function levelFor(level: ThinkingLevel, { levels }: GoogleCompat): GoogleLevel | undefined {
  if (level === "off") return levels[0];
  const distance = (name: GoogleLevel) => Math.abs(googleLevels.indexOf(name) - strengthOfLevel[level]);
  return levels.reduce<GoogleLevel | undefined>((best, name) => (best && distance(best) < distance(name) ? best : name), undefined);
}
