import type { Model } from "@pikit/ai";
import type { Settings } from "../config/settings.ts";
import type { ResolvedModel } from "./find-model.ts";
import type { ModelRegistry } from "./model-registry.ts";

/** The user's choice of a model. */
export interface ModelChoice {
  /** `id`, `provider/id`, either with `:level`. */
  model?: string | undefined;
  provider?: string | undefined;
}

/**
 * Finds the model to use, in this order: the user's choice, the session's last model, the default of the settings, the default of the first
 * provider with a key, the model in `PI_FALLBACK_MODEL`, none. A default that does not exist or has no key is reported, and the next one used.
 *
 * @param stored - `provider/id` of the session's model; skipped if it no longer exists.
 * @param scope - The models to choose from without a choice of the user: the default of the settings if it is among them, else the first.
 * @throws {UsageError} With exit code 1 when the chosen model does not exist; the message has the nearest names.
 */
export async function resolveModel(
  registry: ModelRegistry,
  choice: ModelChoice,
  settings: Settings,
  { stored, scope = [] }: { stored?: string | undefined; scope?: readonly (ResolvedModel & { model: Model })[] | undefined } = {},
): Promise<ResolvedModel> {
  if (choice.model !== undefined) return (await loadFinder()).findModel(registry, choice.model, choice.provider);
  if (choice.provider !== undefined) return { model: await (await loadFinder()).findProviderDefault(registry, choice.provider) };
  const storedModel = stored === undefined ? undefined : await findStored(registry, stored);
  if (storedModel) return { model: storedModel };
  const isNamed = settings.defaultModel !== undefined || settings.defaultProvider !== undefined;
  const { findUsual, reportUsual } = isNamed ? await import("./usual-model.ts") : {};
  const usual = await findUsual?.(registry, settings);
  const [first] = scope;
  const chosen = usual && "model" in usual ? usual : undefined;
  if (first) return scope.some(({ model }) => isSame(model, chosen?.model)) && chosen ? chosen : first;
  if (usual && "model" in usual && usual.model && (await registry.isUsable(usual.model))) return usual;
  const model = await registry.defaultModel();
  if (usual) reportUsual?.(registry, usual, model);
  if (model) return { model };
  // Its request then says which key is missing.
  if (usual && "model" in usual) return usual;
  const fallback = process.env.PI_FALLBACK_MODEL;
  return fallback ? (await loadFinder()).findModel(registry, fallback, undefined) : { model: undefined };
}

function isSame(a: Model, b: Model | undefined): boolean {
  return a.provider === b?.provider && a.id === b.id;
}

async function findStored(registry: ModelRegistry, name: string): Promise<Model | undefined> {
  const slash = name.indexOf("/");
  const found = await registry.find(name.slice(0, slash), name.slice(slash + 1)).catch(() => undefined);
  if (!found) registry.report(`The session's model ${name} cannot be used here any more. The default model is used.`);
  return found;
}

/** Loads the search by name, which a start without a named model does not need. */
function loadFinder(): Promise<typeof import("./find-model.ts")> {
  return import("./find-model.ts");
}
