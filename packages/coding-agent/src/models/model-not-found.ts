import { keyVariablesOf } from "@pikit/ai";
import { UsageError } from "../errors.ts";
import { suggest } from "../suggest.ts";
import type { ModelRegistry } from "./model-registry.ts";
import { nearestNames } from "./nearest-names.ts";
import { hostProvider } from "./provider-names.ts";
import { vendorOf } from "./unlisted-model.ts";

const hostHint = "A program registers models of the provider host with set_host_models, in RPC mode and pi serve.";

/** Maximum number of suggested names. */
const maxSuggestions = 3;

/**
 * Creates the message for a missing model, with the nearest names, and with the key that is needed for unlisted ids of its provider.
 *
 * @param name - `provider/id`, or an id.
 */
export async function describeMissingModel(registry: ModelRegistry, name: string): Promise<string> {
  const names = (await registry.all()).map((model) => `${model.provider}/${model.id}`);
  const nearest = nearestNames(names, name, maxSuggestions).join(", ");
  const provider = name.includes("/") ? name.slice(0, name.indexOf("/")) : vendorOf(name);
  const variables = provider === undefined || name === "" ? [] : keyVariablesOf(provider);
  if (provider === hostProvider) {
    const registered = names.filter((each) => each.startsWith(`${hostProvider}/`));
    const near = nearestNames(registered, name, maxSuggestions).join(", ");
    return `Model not found: ${name}.${near === "" ? "" : ` Nearest: ${near}.`} ${hostHint}`;
  }
  const hint = variables.length > 0 ? ` An unlisted id needs a key of ${provider}: set ${variables.join(" or ")}.` : "";
  return `Model not found: ${name}. Nearest: ${nearest}.${hint}`;
}

/** Creates the error for a model that does not exist. @param name - See `describeMissingModel`. */
export async function missingModel(registry: ModelRegistry, name: string): Promise<UsageError> {
  return new UsageError("unknown_model", await describeMissingModel(registry, name));
}

/** Creates the error for a provider that has no models or does not exist. */
export async function missingProvider(registry: ModelRegistry, provider: string): Promise<UsageError> {
  const names = await registry.providerNames();
  if (names.includes(provider)) return new UsageError("unknown_model", noModelsOf(provider));
  return new UsageError("unknown_model", `Unknown provider "${provider}".${suggest(provider, names)} Known: ${names.join(", ")}.`);
}

function noModelsOf(provider: string): string {
  return provider === "local"
    ? "No model server answers on this machine, or it has no models. Start Ollama, llama.cpp or LM Studio, or name an endpoint in models.json."
    : `The provider "${provider}" has no listed models. Name one with --model.`;
}
