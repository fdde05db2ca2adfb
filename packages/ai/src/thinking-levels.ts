import { convertThinking as convertAnthropic, maxTokensOf } from "./apis/anthropic-messages/thinking.ts";
import { convertThinking as convertGoogle } from "./apis/google-generative-ai/thinking.ts";
import type { LevelEfforts } from "./apis/level-efforts.ts";
import { convertReasoning as convertCompletions, requiresReasoning } from "./apis/openai-completions/reasoning.ts";
import { convertReasoning as convertResponses } from "./apis/openai-responses/reasoning.ts";
import { type KnownApi, type Model, type ThinkingLevel, thinkingLevels } from "./types.ts";

/** The thinking fields of a request, by wire, from the same functions that build the requests. Hosts and scripts get the level itself. */
const wires: Readonly<Record<KnownApi, (model: Model, level: ThinkingLevel) => unknown>> = {
  "anthropic-messages": (model, level) => convertAnthropic(model, level, maxTokensOf(model, { messages: [] })),
  "google-generative-ai": convertGoogle,
  "openai-completions": (model, level) => [convertCompletions(model, level), requiresReasoning(model, level)],
  "openai-responses": convertResponses,
  host: (_model, level) => level,
  scripted: (_model, level) => level,
};

/** Parses a level; `max` is the highest one. Undefined for other texts. */
export function parseThinkingLevel(text: string): ThinkingLevel | undefined {
  return text === "max" ? thinkingLevels.at(-1) : thinkingLevels.find((level) => level === text);
}

/**
 * The levels that lead to different requests for the model, weakest first; only `off` for a model without reasoning. For an api that was
 * added with `registerApi`, all levels.
 */
export function thinkingLevelsOf(model: Model): ThinkingLevel[] {
  return thinkingLevels.filter((level) => clampThinkingLevel(level, model) === level);
}

/** The level of `thinkingLevelsOf(model)` that leads to the same request as `level`. */
export function clampThinkingLevel(level: ThinkingLevel, model: Model): ThinkingLevel {
  if (!model.reasoning) return "off";
  const wire = Object.hasOwn(wires, model.api) ? wires[model.api as KnownApi] : undefined;
  if (!wire) return level;
  const request = (candidate: ThinkingLevel) => JSON.stringify(wire(model, candidate));
  const wanted = request(level);
  const same = thinkingLevels.filter((candidate) => request(candidate) === wanted);
  const { levelEfforts = {} } = (model.compat ?? {}) as { levelEfforts?: LevelEfforts };
  return nameOf(
    same.filter((candidate) => levelEfforts[candidate] !== null),
    wanted,
  );
}

/** Chooses one of the levels with the same request: `off`, else the one that the request names, else `medium`, else the weakest. */
function nameOf(levels: readonly ThinkingLevel[], request: string): ThinkingLevel {
  const preferred = levels.find((level) => level === "off" || request.toLowerCase().includes(`"${level}"`));
  return preferred ?? levels.find((level) => level === "medium") ?? (levels[0] as ThinkingLevel);
}
