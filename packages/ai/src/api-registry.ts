import type { MessageAssembler } from "./assembler.ts";
import { AiError } from "./errors.ts";
import type { Api, Context, Model, StreamOptions } from "./types.ts";

/** One model call, as an adapter receives it. */
export interface ApiRequest {
  model: Model;
  context: Context;
  /** With `apiKey` filled in from the environment where the caller gave none. */
  options: StreamOptions;
}

/**
 * Speaks one wire protocol: sends the request and reports the answer to the assembler, ending it with `done`. Failures are thrown;
 * `stream` turns them into the answer's error. An abort ends the answer by itself, the adapter only has to let go of its connection.
 */
export type ApiAdapter = (request: ApiRequest, assembler: MessageAssembler) => Promise<void>;

/** Loads an adapter; called when the first model of its api is used, and again only if it failed. */
export type ApiLoader = () => Promise<ApiAdapter>;

const loaders = new Map<Api, ApiLoader>([
  ["anthropic-messages", async () => (await import("./apis/anthropic-messages/adapter.ts")).streamAnthropicMessages],
  ["openai-completions", async () => (await import("./apis/openai-completions/adapter.ts")).streamOpenAICompletions],
  ["openai-responses", async () => (await import("./apis/openai-responses/adapter.ts")).streamOpenAIResponses],
  ["google-generative-ai", async () => (await import("./apis/google-generative-ai/adapter.ts")).streamGoogle],
  ["scripted", async () => (await import("./apis/scripted/adapter.ts")).streamScripted],
]);
const loaded = new Map<Api, Promise<ApiAdapter>>();

/** Adds an api, or replaces one; models whose `api` has this name are served by it from the next call on. */
export function registerApi(api: Api, load: ApiLoader): void {
  loaders.set(api, load);
  loaded.delete(api);
}

/**
 * The adapter of an api, loaded on first use. May be called early, to have it ready.
 *
 * @throws {AiError} `unsupported` when no such api is registered.
 */
export function loadApi(api: Api): Promise<ApiAdapter> {
  const known = loaded.get(api);
  if (known) return known;
  const load = loaders.get(api);
  if (!load) {
    const names = [...loaders.keys()].join(", ");
    return Promise.reject(
      new AiError("unsupported", `Unknown api "${api}": expected one of ${names}, or one added with registerApi.`),
    );
  }
  const adapter = load();
  loaded.set(api, adapter);
  adapter.catch(() => loaded.delete(api));
  return adapter;
}
