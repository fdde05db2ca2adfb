import type { ApiAdapter, ApiLoader } from "./api-adapter.ts";
import { AiError } from "./errors.ts";
import type { Api } from "./types.ts";

const loaders = new Map<Api, ApiLoader>([
  ["anthropic-messages", async () => (await import("./apis/anthropic-messages/adapter.ts")).streamAnthropicMessages],
  ["openai-completions", async () => (await import("./apis/openai-completions/adapter.ts")).streamOpenAICompletions],
  ["openai-responses", async () => (await import("./apis/openai-responses/adapter.ts")).streamOpenAIResponses],
  ["google-generative-ai", async () => (await import("./apis/google-generative-ai/adapter.ts")).streamGoogle],
  ["host", async () => (await import("./apis/host/adapter.ts")).streamHost],
  ["scripted", async () => (await import("./apis/scripted/adapter.ts")).streamScripted],
]);
const loaded = new Map<Api, Promise<ApiAdapter>>();

/** Adds or replaces an api. From the next call on it serves the models whose `api` has this name. */
export function registerApi(api: Api, load: ApiLoader): void {
  loaders.set(api, load);
  loaded.delete(api);
}

/** The names of all registered apis. */
export function knownApis(): Api[] {
  return [...loaders.keys()];
}

/**
 * Loads the adapter of an api, once. Call it early to save this time in the first model call.
 *
 * @throws {AiError} `unsupported` when no such api is registered.
 */
export function loadApi(api: Api): Promise<ApiAdapter> {
  const known = loaded.get(api);
  if (known) return known;
  const load = loaders.get(api);
  if (!load) {
    const names = knownApis().join(", ");
    return Promise.reject(
      new AiError("unsupported", `Unknown api "${api}": expected one of ${names}, or one added with registerApi.`),
    );
  }
  const adapter = load();
  loaded.set(api, adapter);
  adapter.catch(() => loaded.delete(api));
  return adapter;
}
