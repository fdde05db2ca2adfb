import OpenAI from "openai";
import type { Model, StreamOptions } from "../types.ts";
import { tryParseUrl } from "../url.ts";
import { chooseKey, mergeHeaders, quietClient, withoutAmbientHeaders } from "./http-request.ts";
import { azureEndpointOf } from "./openai-azure.ts";

/** Creates an SDK client that sends one request with the given `fetch`. */
export type ClientFactory = (fetch: typeof globalThis.fetch) => OpenAI;

/**
 * Prepares the SDK's client for a model of either OpenAI api, on the servers of OpenAI, of Azure or of compatible vendors.
 *
 * @throws {AiError} `auth` when a known provider has no key.
 */
export function prepareClient(model: Model, options: StreamOptions): ClientFactory {
  const headers = mergeHeaders(model, options);
  const key = chooseKey(model, options, headers);
  const azure = azureEndpointOf(model);
  const endpoint = azure
    ? { baseURL: azure.baseUrl, defaultQuery: { "api-version": azure.azureApiVersion } }
    : { baseURL: toVersioned(model.baseUrl) };
  const credential = azure ? { authorization: null, ...(key !== undefined && { "api-key": key }) } : {};
  return (fetch) =>
    new OpenAI({
      ...quietClient,
      ...identity(model),
      ...endpoint,
      fetch,
      // The SDK requires a key. Without one of ours, `authorization: null` removes the header.
      apiKey: key ?? "unused",
      adminAPIKey: null,
      defaultHeaders: {
        ...(model.provider !== "openai" && withoutAmbientHeaders("OPENAI_CUSTOM_HEADERS")),
        ...(key === undefined && { authorization: null }),
        ...credential,
        ...headers,
      },
    });
}

/** The model's name on the wire. */
export function wireModelId(model: Model): string {
  return azureEndpointOf(model)?.azureDeployment ?? model.id;
}

/** The SDK reads the organization and project from the environment; only OpenAI may see them. */
function identity(model: Model): { organization?: null; project?: null } {
  return model.provider === "openai" ? {} : { organization: null, project: null };
}

/** Adds `/v1` to a bare host. A path stays as it is, because vendors have versions of their own. */
function toVersioned(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/+$/, "");
  return tryParseUrl(trimmed)?.pathname === "/" ? `${trimmed}/v1` : trimmed;
}
