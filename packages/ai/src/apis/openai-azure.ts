import { AiError } from "../errors.ts";
import type { Model } from "../types.ts";
import { hostOf, isHostOf } from "../url.ts";

/** What Azure wants besides OpenAI's own request. The deployment and version can be set in the model's `compat`. */
export interface AzureEndpoint {
  /** What the path of either OpenAI api is added to. */
  baseUrl: string;
  /** The name under which the model was deployed. Default: the model's id. Prices and replay go by the id. */
  azureDeployment: string;
  /** Sent as `api-version`. Default: `AZURE_OPENAI_API_VERSION` from the environment, else `v1`. */
  azureApiVersion: string;
}

/** Azure's hosts: the older resources, the newer ones, and those of AI Foundry. */
const azureDomains = ["openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"];

/** Whether Azure serves a model, by its provider id or its host. */
export function isAzure({ provider, baseUrl }: Pick<Model, "provider" | "baseUrl">): boolean {
  const host = hostOf(baseUrl);
  return provider === "azure-openai" || azureDomains.some((domain) => isHostOf(host, domain));
}

/**
 * How to reach a model that is deployed on Azure; undefined for models that are not. The base URL may end in nothing, `/openai`,
 * `/v1`, `/openai/v1` or a deployment's own address; where the model has none, `AZURE_OPENAI_BASE_URL` or `AZURE_OPENAI_ENDPOINT`
 * names it. Dated versions are served at older addresses than `v1`.
 *
 * @throws {AiError} `invalid_request` when there is no base URL, saying where to set it.
 */
export function azureEndpointOf(model: Model): AzureEndpoint | undefined {
  if (!isAzure(model)) return undefined;
  const { env } = process;
  const given = model.baseUrl || env.AZURE_OPENAI_BASE_URL || env.AZURE_OPENAI_ENDPOINT;
  if (!given) {
    const message = `No address for ${model.provider}. Set AZURE_OPENAI_BASE_URL in the environment, or the model's baseUrl.`;
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
