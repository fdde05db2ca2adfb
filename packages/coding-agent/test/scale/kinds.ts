import type { Model } from "@pikit/ai";
import { anthropic, google, openai, openaiResponses, type ProviderResponse, type ResponseStep, type Wire } from "@pikit/test-kit";

/** What a session of a crowd is like. */
export interface Kind {
  model: Model;
  /** Whether it is kept in a file. */
  isStored: boolean;
  /** Whether it calls a tool before it answers. */
  hasTool: boolean;
}

const wires: readonly { api: string; wire: Wire; path: string }[] = [
  { api: "anthropic-messages", wire: anthropic, path: "" },
  { api: "openai-completions", wire: openai, path: "/v1" },
  { api: "openai-responses", wire: openaiResponses, path: "/v1" },
  { api: "google-generative-ai", wire: google, path: "" },
];

/** Sessions of all kinds: they speak the four wires in turn, one in ten calls a tool, one in ten is kept in a file. */
export function mixedKinds(count: number, url: string): Kind[] {
  return Array.from({ length: count }, (_, index) => {
    const { api, path } = wireOf(index);
    return { model: modelOf(index, api, `${url}${path}`), isStored: index % 10 === 3, hasTool: index % 10 === 6 };
  });
}

function wireOf(index: number) {
  return wires[index % wires.length] as (typeof wires)[number];
}

function modelOf(index: number, api: string, baseUrl: string): Model {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const id = `session-${index}`;
  return {
    id,
    name: id,
    api,
    provider: "crowd",
    baseUrl,
    reasoning: false,
    input: ["text"],
    contextWindow: 1e6,
    maxTokens: 1000,
    cost,
  };
}

/** The session that a request comes from, by the model that it asks. */
export function sessionOf({ path, body }: { path: string; body: unknown }): number {
  const asked = `${path} ${(body as { model?: unknown }).model}`;
  return Number(/session-(\d+)/.exec(asked)?.[1]);
}

/** What holds each wave of an answer's deltas back; undefined: nothing. */
export type Gates = readonly (Promise<void> | undefined)[];

/** An answer of these deltas, with the gates before its waves. */
export function gatedAnswer(session: number, deltas: string[], deltasPerWave: number, gates: Gates): ProviderResponse {
  const { steps = [], ...response } = wireOf(session).wire.answer([{ text: deltas }]);
  const isDelta = (step: ResponseStep) => typeof step === "string" && deltas.some((delta) => step.includes(JSON.stringify(delta)));
  const first = steps.findIndex(isDelta);
  const gated = steps.flatMap((step, at): ResponseStep[] => {
    const wave = (at - first) / deltasPerWave;
    const gate = Number.isInteger(wave) ? gates[wave] : undefined;
    return gate === undefined ? [step] : [gate, step];
  });
  return { ...response, steps: gated };
}

export function toolAnswer(session: number, command: string): ProviderResponse {
  return wireOf(session).wire.toolCall("bash", { command });
}
