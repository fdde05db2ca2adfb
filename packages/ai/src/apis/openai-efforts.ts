import type { ThinkingLevel } from "../types.ts";

/** Reasoning efforts of OpenAI's models; `none` switches thinking off. */
export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** By model name; the first match decides. Source: the provider's model pages, "Reasoning effort". */
const effortsOfFamily: readonly [RegExp, readonly Effort[]][] = [
  [/^gpt-5-pro/, ["high"]],
  [/^gpt-\d+(?:\.\d+)?-pro/, ["medium", "high", "xhigh"]],
  [/^gpt-5-codex|^gpt-5\.1-codex(?!-max)/, ["low", "medium", "high"]],
  [/^gpt-\d+(?:\.\d+)?-codex/, ["low", "medium", "high", "xhigh"]],
  [/^gpt-5\.1/, ["none", "low", "medium", "high"]],
  [/^gpt-5(?!\.)/, ["minimal", "low", "medium", "high"]],
  [/^gpt-(?:5\.|[6-9])/, ["none", "low", "medium", "high", "xhigh"]],
];

/** The efforts that every other model supports. */
const commonEfforts: readonly Effort[] = ["low", "medium", "high"];

/** The efforts that a model of OpenAI supports, weakest first. */
export function openaiEfforts(modelId: string): readonly Effort[] {
  return effortsOfFamily.find(([family]) => family.test(modelId))?.[1] ?? commonEfforts;
}

const strengths: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

/** The effort nearest to a level, never `none`; of two equally near efforts, the weaker. */
export function nearestEffort<E extends string>(level: Exclude<ThinkingLevel, "off">, efforts: readonly E[]): E | undefined {
  const distance = (effort: E) => Math.abs(strengths.indexOf(effort) - strengths.indexOf(level));
  const thinking = efforts.filter((effort) => effort !== "none");
  return thinking.reduce((best, effort) => (distance(best) <= distance(effort) ? best : effort), thinking[0] as E);
}
