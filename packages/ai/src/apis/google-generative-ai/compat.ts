import type { Model } from "../../types.ts";

/** The differences between a model and the newest Gemini models. Each field can be set in the model's `compat`. */
export interface GoogleCompat {
  /** The request sets thinking as a number of tokens, as a level, or not at all. */
  thinking: "budget" | "level" | "none";
  /** Minimum and maximum tokens of a budget. */
  minBudget: number;
  maxBudget: number;
  /** The budget that switches thinking off: 0, or the minimum for a model that always thinks. */
  budgetOff: number;
  /** The levels that the model supports, weakest first. Our level maps to the nearest one; `off` maps to the weakest. */
  levels: readonly GoogleLevel[];
  /** Whether calls and responses carry ids. */
  callIds: boolean;
  /** Whether the first call of an answer must have a signature. */
  callSignatures: boolean;
  /** Whether images of tool results go inside the function response; otherwise they follow it. */
  imagesInResponses: boolean;
  /** The field for a tool's schema. `parameters` accepts only a part of JSON Schema. */
  schemaField: "parametersJsonSchema" | "parameters";
}

export type GoogleLevel = "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";

/** Budgets by model name; the first match decides. Source: Gemini API, "Thinking". */
const budgets: readonly [RegExp, Pick<GoogleCompat, "minBudget" | "maxBudget" | "budgetOff">][] = [
  [/flash-lite/, { minBudget: 512, maxBudget: 24_576, budgetOff: 0 }],
  [/flash/, { minBudget: 0, maxBudget: 24_576, budgetOff: 0 }],
  [/(?:)/, { minBudget: 128, maxBudget: 32_768, budgetOff: 128 }],
];

/** Levels by model name; the first match decides. Newer models have the levels of the last row. Source: as above. */
const levelsOfFamily: readonly [RegExp, readonly GoogleLevel[]][] = [
  [/gemini-3-pro/, ["LOW", "HIGH"]],
  [/gemini-3(?:\.[0-6])?-flash|flash-lite/, ["MINIMAL", "LOW", "MEDIUM", "HIGH"]],
  [/(?:)/, ["LOW", "MEDIUM", "HIGH"]],
];

/** Resolves each field: the model's own setting first, then a default from its name. */
export function resolveCompat(model: Model): GoogleCompat {
  const version = geminiVersion(model.id);
  const isThree = version >= 3;
  const budget = budgets.find(([name]) => name.test(model.id))?.[1];
  const fromName: GoogleCompat = {
    thinking: isThree ? "level" : version >= 2.5 ? "budget" : "none",
    minBudget: 0,
    maxBudget: 24_576,
    budgetOff: 0,
    ...budget,
    levels: levelsOfFamily.find(([name]) => name.test(model.id))?.[1] ?? [],
    callIds: isThree || /(?:^|\/)(?:claude|gpt-oss)/.test(model.id),
    callSignatures: isThree,
    imagesInResponses: isThree,
    schemaField: "parametersJsonSchema",
  };
  return { ...fromName, ...(model.compat as Partial<GoogleCompat> | undefined) };
}

/** 2.5 for `gemini-2.5-pro`, 3 (the newest) for `gemini-flash-latest`, 0 for other names. */
function geminiVersion(id: string): number {
  const match = /gemini-(?:[a-z]+-)*(?:(\d+(?:\.\d+)?)|latest)/.exec(id);
  return match ? Number(match[1] ?? 3) : 0;
}
