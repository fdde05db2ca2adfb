import type { Model } from "@pikit/ai";
import type { Settings } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import { findModel, findProviderDefault, type ResolvedModel } from "./find-model.ts";
import type { ModelRegistry } from "./model-registry.ts";

/** The default of the settings, or why there is none; undefined if the settings name none. */
export async function findUsual(
  registry: ModelRegistry,
  { defaultModel, defaultProvider }: Settings,
): Promise<ResolvedModel | { problem: string } | undefined> {
  try {
    if (defaultModel !== undefined) return await findModel(registry, defaultModel, defaultProvider);
    if (defaultProvider !== undefined) return { model: await findProviderDefault(registry, defaultProvider) };
    return undefined;
  } catch (error) {
    if (error instanceof UsageError && error.code === "unknown_model") return { problem: error.message };
    throw error;
  }
}

/** Reports a default that cannot be used. @param used - The model that is used instead. */
export function reportUsual(registry: ModelRegistry, usual: ResolvedModel | { problem: string }, used: Model | undefined): void {
  const name = (model: Model) => `${model.provider}/${model.id}`;
  const instead = used ? ` ${name(used)} is used.` : "";
  if ("problem" in usual) registry.report(`The default model of the settings cannot be used. ${usual.problem}${instead}`);
  else if (usual.model && used) {
    registry.report(`The default model of the settings, ${name(usual.model)}, cannot be used: its provider has no key.${instead}`);
  }
}
