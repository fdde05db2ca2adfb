import { keyVariablesOf } from "../auth.ts";
import { errorOfResponse, networkError, toAiError } from "../classify.ts";
import { AiError } from "../errors.ts";
import type { Model, StreamOptions } from "../types.ts";
import { hostOf, isHostOf } from "../url.ts";
import { fetchFromProvider } from "./provider-fetch.ts";
import type { RequestContent } from "./request-content.ts";

/** Options of every SDK client: they switch off its retries, logs and timeouts, because we do these ourselves. */
export const quietClient = {
  maxRetries: 0,
  logLevel: "off",
  /** Milliseconds; the maximum of a timer. */
  timeout: 2 ** 31 - 1,
} as const;

/** The body that an SDK gets. It sets the headers of a JSON body for it; `sendRequest` then sends the real one. */
export const placeholderBody = {};

/** The abort signal and the `fetch` that an SDK uses for one request. */
export interface RequestInitiator {
  signal: AbortSignal;
  fetch: typeof globalThis.fetch;
}

/**
 * Sends a request through an SDK and returns the raw response as soon as its headers arrive.
 *
 * @param content - The body. It replaces the `placeholderBody` that the SDK sends.
 * @param send - Posts with the given `fetch` and `signal` and returns the SDK's raw response.
 * @throws {AiError} For a status that is not a success, a failed connection, and headers that do not arrive in `firstByteTimeoutMs`.
 */
export async function sendRequest(
  model: Model,
  options: StreamOptions,
  content: RequestContent,
  send: (initiator: RequestInitiator) => Promise<Response>,
): Promise<Response> {
  const { signal, firstByteTimeoutMs = 0 } = options;
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  let timeout: AiError | undefined;
  const timer =
    firstByteTimeoutMs > 0
      ? setTimeout(() => {
          timeout = networkError(`nothing arrived within ${firstByteTimeoutMs} ms`, model.provider);
          controller.abort(timeout);
        }, firstByteTimeoutMs)
      : undefined;
  /** We read an error response ourselves: the SDKs have no size limit, and drop fields that their own servers do not send. */
  let refusal: AiError | undefined;
  const fetchOnce: typeof fetch = async (input, given = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const init = await applyHeadersHook(given, model, options);
    const response = options.fetch
      ? await options.fetch(url, { ...init, body: content.toText() })
      : await fetchFromProvider(url, init, model.provider, content);
    const { status, headers } = response;
    await options.onResponse?.({ status, headers: Object.fromEntries(headers) }, model);
    if (response.ok) return response;
    refusal = await errorOfResponse(response, model.provider, secretsOf(model, options), {
      emptyIsOverflow: model.provider === "cerebras" || isHostOf(hostOf(model.baseUrl), "cerebras.ai"),
    });
    throw refusal;
  };
  try {
    return await send({ signal: controller.signal, fetch: fetchOnce });
  } catch (error) {
    throw refusal ?? timeout ?? toAiError(error, model);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Merges the headers of the model and the call, with names in lower case; the call's headers win. Empty ones are left out. */
export function mergeHeaders(model: Model, options: StreamOptions): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const headers of [model.headers, options.headers]) {
    for (const [name, value] of Object.entries(headers ?? {})) merged[name.toLowerCase()] = value;
  }
  for (const [name, value] of Object.entries(merged)) if (value === "") delete merged[name];
  return merged;
}

/**
 * Switches off the headers that an SDK reads from its vendor's environment variable: they may hold credentials for that vendor only.
 *
 * @param variable - The name of the variable, which holds `name: value` lines.
 */
export function withoutAmbientHeaders(variable: string): Record<string, null> {
  const lines = (process.env[variable] ?? "").split("\n").filter((line) => line.includes(":"));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")).trim().toLowerCase(), null]));
}

/** Headers that carry a credential. If the caller sets one, we send none of ours. */
const credentialHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/**
 * The key to send. Undefined if the caller's headers carry a credential, or if no key is given and the provider is not known to need
 * one, such as a local server.
 *
 * @throws {AiError} `auth` when a known provider has no key (the message names the variable to set) or the key cannot be sent in a header.
 */
export function chooseKey(model: Model, options: StreamOptions, headers: Record<string, string>): string | undefined {
  if (credentialHeaders.some((name) => headers[name])) return undefined;
  const key = options.apiKey?.trim();
  if (key) {
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new AiError("auth", `The API key for ${model.provider} holds characters that no header can carry. Copy it again.`);
    }
    return key;
  }
  const variables = keyVariablesOf(model.provider);
  if (variables.length === 0) return undefined;
  throw new AiError("auth", `No API key for ${model.provider}. Set ${variables.join(" or ")} in the environment, or pass apiKey.`);
}

/** The credentials of a call, without a scheme such as `Bearer`. Very short values are not secrets. */
function secretsOf(model: Model, options: StreamOptions): string[] {
  const headers = mergeHeaders(model, options);
  const values = [options.apiKey, ...credentialHeaders.map((name) => headers[name])];
  return values.flatMap((value) => value?.trim().split(/\s+/).at(-1) ?? []).filter((value) => value.length >= 6);
}

/** The request to send, with the headers that the caller's `onHeaders` hook has changed. */
async function applyHeadersHook(init: RequestInit, model: Model, { onHeaders }: StreamOptions): Promise<RequestInit> {
  if (!onHeaders) return init;
  const headers = new Headers(init.headers);
  await onHeaders(headers, model);
  return { ...init, headers };
}
