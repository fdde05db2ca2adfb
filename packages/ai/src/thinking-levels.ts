import { convertThinking as convertAnthropic, maxTokensOf } from "./apis/anthropic-messages/thinking.ts";
import { convertThinking as convertGoogle } from "./apis/google-generative-ai/thinking.ts";
import { convertReasoning as convertCompletions, requiresReasoning } from "./apis/openai-completions/reasoning.ts";
import { convertReasoning as convertResponses } from "./apis/openai-responses/reasoning.ts";
import { type KnownApi, type Model, type ThinkingLevel, thinkingLevels } from "./types.ts";

/** What the request of each wire says about thinking; the same functions make the requests. A script is told the level itself. */
const wires: Readonly<Record<KnownApi, (model: Model, level: ThinkingLevel) => unknown>> = {
  "anthropic-messages": (model, level) => convertAnthropic(model, level, maxTokensOf(model, { messages: [] })),
  "google-generative-ai": convertGoogle,
  "openai-completions": (model, level) => [convertCompletions(model, level), requiresReasoning(model, level)],
  "openai-responses": convertResponses,
  scripted: (_model, level) => level,
};

/** The level that a text asks for, `max` being the highest; undefined when it names none. */
export function parseThinkingLevel(text: string): ThinkingLevel | undefined {
  return text === "max" ? thinkingLevels.at(-1) : thinkingLevels.find((level) => level === text);
}

/**
 * The levels that requests to the model can tell apart, weakest first; `off` alone for a model without reasoning. An api that was added
 * with `registerApi` is taken to tell all of them apart.
 */
export function thinkingLevelsOf(model: Model): ThinkingLevel[] {
  return thinkingLevels.filter((level) => clampThinkingLevel(level, model) === level);
}

/** The level that the model offers whose request is the one of `level`. */
export function clampThinkingLevel(level: ThinkingLevel, model: Model): ThinkingLevel {
  if (!model.reasoning) return "off";
  const wire = Object.hasOwn(wires, model.api) ? wires[model.api as KnownApi] : undefined;
  if (!wire) return level;
  const request = (candidate: ThinkingLevel) => JSON.stringify(wire(model, candidate));
  const wanted = request(level);
  const same = thinkingLevels.filter((candidate) => request(candidate) === wanted);
  return nameOf(same, wanted);
}

/** Of levels with one request: off, else the one that the request names, else the usual one, else the weakest. */
function nameOf(levels: readonly ThinkingLevel[], request: string): ThinkingLevel {
  const preferred = levels.find((level) => level === "off" || request.toLowerCase().includes(`"${level}"`));
  return preferred ?? levels.find((level) => level === "medium") ?? (levels[0] as ThinkingLevel);
}
