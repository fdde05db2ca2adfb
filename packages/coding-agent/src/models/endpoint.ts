import type { Model } from "@pikit/ai";

/** Where models are asked, and how. */
export type Endpoint = Pick<Model, "api" | "provider" | "baseUrl" | "headers" | "compat">;

/** A model of an endpoint of which nothing else is known. */
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
