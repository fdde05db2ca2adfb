import OpenAI from "openai";
import type { Model, StreamOptions } from "../types.ts";
import { tryParseUrl } from "../url.ts";
import { chooseKey, mergeHeaders, quietClient, withoutAmbientHeaders } from "./http-request.ts";
import { azureEndpointOf } from "./openai-azure.ts";

/** Makes the SDK's client that sends one request with the given `fetch`. */
export type ClientFactory = (fetch: typeof globalThis.fetch) => OpenAI;

/**
 * Prepares the SDK's client for a model of either OpenAI api, on OpenAI's own servers, on Azure or on compatible ones.
 *
 * @throws {AiError} `auth` when a provider that is known to need a key has none.
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
      // Any key keeps the SDK from asking for one; without a key of ours the header is left out.
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

/** The name by which the endpoint knows the model. */
export function wireModelId(model: Model): string {
  return azureEndpointOf(model)?.azureDeployment ?? model.id;
}

/** OpenAI's own organization variables are for OpenAI only. */
function identity(model: Model): { organization?: null; project?: null } {
  return model.provider === "openai" ? {} : { organization: null, project: null };
}

/** A bare host gets the version segment; a path is taken as it is, since vendors have versions of their own. */
function toVersioned(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/+$/, "");
  return tryParseUrl(trimmed)?.pathname === "/" ? `${trimmed}/v1` : trimmed;
}
