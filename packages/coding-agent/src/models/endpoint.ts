import type { Model } from "@pikit/ai";

/** The endpoint of models: its address, its api and its provider. */
export type Endpoint = Pick<Model, "api" | "provider" | "baseUrl" | "headers" | "compat">;

/** Creates a model of an endpoint of which only the id is known. */
export function toUnknownModel({ api, provider, baseUrl, headers, compat }: Endpoint, id: string): Model {
  return {
    ...{ id, name: id, api, provider, baseUrl },
    reasoning: false,
    input: ["text", "image"],
    contextWindow: 0,
    maxTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...(headers ? { headers } : {}),
    ...(compat ? { compat } : {}),
  };
}
