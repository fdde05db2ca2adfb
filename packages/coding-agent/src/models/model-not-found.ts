import { keyVariablesOf } from "@pikit/ai";
import type { ModelRegistry } from "./model-registry.ts";
import { nearestNames } from "./nearest-names.ts";
import { vendorOf } from "./unlisted-model.ts";

/** How many names are offered in place of an unknown one. */
const maxSuggestions = 3;

/**
 * Says that a model does not exist, what its name is near to, and what would let any id of its provider be used.
 *
 * @param name - `provider/id`, or an id.
 */
export async function describeMissingModel(registry: ModelRegistry, name: string): Promise<string> {
  const names = (await registry.all()).map((model) => `${model.provider}/${model.id}`);
  const nearest = nearestNames(names, name, maxSuggestions).join(", ");
  const provider = name.includes("/") ? name.slice(0, name.indexOf("/")) : vendorOf(name);
  const variables = provider === undefined || name === "" ? [] : keyVariablesOf(provider);
  const hint = variables.length > 0 ? ` An id that is not listed needs a key of ${provider}: set ${variables.join(" or ")}.` : "";
  return `Model not found: ${name}. Nearest: ${nearest}.${hint}`;
}
