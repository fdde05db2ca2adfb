import { AiError } from "../errors.ts";
import type { Model } from "../types.ts";
import { hostOf, isHostOf } from "../url.ts";

/** The values that Azure needs in addition to an OpenAI request. The deployment and version can be set in the model's `compat`. */
export interface AzureEndpoint {
  /** The URL in front of the path of either OpenAI api. */
  baseUrl: string;
  /** The name of the model's deployment. Default: the model's id. Prices and replay use the id, not this name. */
  azureDeployment: string;
  /** Sent as `api-version`. Default: `AZURE_OPENAI_API_VERSION` from the environment, else `v1`. */
  azureApiVersion: string;
}

/** Azure's hosts: older resources, newer resources, AI Foundry. */
const azureDomains = ["openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"];

/** Whether Azure serves a model, judged by its provider id or its host. */
export function isAzure({ provider, baseUrl }: Pick<Model, "provider" | "baseUrl">): boolean {
  const host = hostOf(baseUrl);
  return provider === "azure-openai" || azureDomains.some((domain) => isHostOf(host, domain));
}

/**
 * The endpoint of a model on Azure; undefined for other models. The base URL may end at the host, in `/openai`, `/v1`, `/openai/v1` or
 * in a deployment's path. A model without a base URL uses `AZURE_OPENAI_BASE_URL` or `AZURE_OPENAI_ENDPOINT`. Dated API versions have
 * older paths than `v1`.
 *
 * @throws {AiError} `invalid_request` when there is no base URL; the message says where to set it.
 */
export function azureEndpointOf(model: Model): AzureEndpoint | undefined {
  if (!isAzure(model)) return undefined;
  const { env } = process;
  const given = model.baseUrl || env.AZURE_OPENAI_BASE_URL || env.AZURE_OPENAI_ENDPOINT;
  if (!given) {
    const message = `No base URL for ${model.provider}. Set AZURE_OPENAI_BASE_URL in the environment, or the model's baseUrl.`;
    throw new AiError("invalid_request", message);
  }
  const compat = (model.compat ?? {}) as Partial<AzureEndpoint>;
  const azureDeployment = compat.azureDeployment ?? model.id;
  const azureApiVersion = compat.azureApiVersion ?? (env.AZURE_OPENAI_API_VERSION || "v1");
  const resource = given.replace(/\/+$/, "").replace(/(?:\/openai)?(?:\/v1|\/deployments\/[^/]+)?$/, "");
  const isDated = /^\d{4}-/.test(azureApiVersion);
  const datedPath = model.api === "openai-responses" ? "/openai" : `/openai/deployments/${encodeURIComponent(azureDeployment)}`;
  return { baseUrl: resource + (isDated ? datedPath : "/openai/v1"), azureDeployment, azureApiVersion };
}
