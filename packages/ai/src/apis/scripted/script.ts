import type { Context, Model, Usage } from "../../types.ts";

/** One answer of a scripted model. Thinking comes first, then text, then tool calls. */
export interface ScriptedAnswer {
  text?: string;
  thinking?: string;
  toolCalls?: { name: string; arguments?: Record<string, unknown>; id?: string }[];
  /** The number of deltas for the text, or the deltas themselves. Default: one per word. */
  deltas?: number | string[];
  /** Milliseconds before each delta. Default 0. */
  delayMs?: number;
  /** The answer ends with this error, after the text. */
  error?: { status?: number; message: string };
  /** Default: an estimate of 4 characters per token. */
  usage?: Partial<Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">>;
}

/** Returns the next answer. `callIndex` counts this model's calls from 0; `signal` aborts this call. */
export type Script = (context: Context, callIndex: number, signal?: AbortSignal) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** A model that plays a script instead of asking a provider. */
export interface ScriptedModel extends Model {
  api: "scripted";
  script: Script;
}

/** Creates a script that plays a list of answers in order. A call after the last answer throws an error. */
export function playAnswers(answers: readonly ScriptedAnswer[], source = "the script"): Script {
  return (_context, callIndex) => {
    const answer = answers[callIndex];
    if (!answer) {
      throw new Error(`${source} has ${answers.length} answers, but call ${callIndex + 1} needs another one. Add a line for it.`);
    }
    return answer;
  };
}

/**
 * Creates a model that answers from a script: offline, free and the same every time. A list of answers is played in order, one per call;
 * two models from the same list each play it from the start.
 */
export function createScriptedModel(options: {
  script: Script | readonly ScriptedAnswer[];
  id?: string;
  name?: string;
  provider?: string;
  /** Other fields of the model. */
  overrides?: Partial<Omit<Model, "api">>;
}): ScriptedModel {
  const { script, id = "scripted", provider = "script" } = options;
  return {
    id,
    name: options.name ?? id,
    provider,
    baseUrl: "",
    reasoning: false,
    input: ["text", "image"],
    contextWindow: 200_000,
    maxTokens: 32_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...options.overrides,
    api: "scripted",
    script: typeof script === "function" ? script : playAnswers(script),
  };
}
