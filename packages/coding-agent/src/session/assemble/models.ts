import { resolve } from "node:path";
import { type Model, parseThinkingLevel, type ThinkingLevel } from "@pikit/ai";
import type { Settings } from "../../config/settings.ts";
import type { BranchContext } from "../../conversation/context.ts";
import { UsageError } from "../../errors.ts";
import { Credentials } from "../../models/credentials.ts";
import type { ResolvedModel } from "../../models/find-model.ts";
import type { ScopedModel } from "../../models/model-choice.ts";
import { ModelRegistry } from "../../models/model-registry.ts";
import { resolveModel } from "../../models/model-resolver.ts";
import type { Configuration } from "./configuration.ts";
import type { Setup } from "./setup.ts";

/** The models of a session, and its first choice. */
export interface Models {
  registry: ModelRegistry;
  /** Undefined if none was chosen and none has a key. */
  model: Model | undefined;
  /** The level that the user wants. A model without it gets its nearest level. */
  thinkingLevel: ThinkingLevel;
  /** The models that `models.cycle` goes through; undefined: all usable models. */
  scope: ScopedModel[] | undefined;
}

/**
 * Chooses the model and its thinking level: those of the options, else of the stored session, else of the settings.
 *
 * @param cwd - The session's working folder. Paths in the options are relative to the folder in which it was started.
 * @throws {UsageError} When the named model does not exist, or `models.json` is invalid.
 */
export async function prepareModels(
  { options, parent, report }: Setup,
  { settings, extensions }: Configuration,
  context: BranchContext,
  cwd: string,
): Promise<Models> {
  const { agentDir, apiKey, awaitsHostModels = false, offline = false, provider, record } = options;
  // A sub-task gets its model from the delegating session.
  const awaitsHost = awaitsHostModels && parent === undefined;
  const credentials = new Credentials(agentDir, { apiKey });
  const recordTo = record === undefined ? {} : { recordTo: resolve(options.cwd, record) };
  const registry = new ModelRegistry({ agentDir, credentials, cwd, offline, awaitsHost, report, ...recordTo });
  for (const brought of extensions?.providers ?? []) registry.addProvider(brought);
  const stored = context.model && `${context.model.provider}/${context.model.modelId}`;
  const scope = await findScope(registry, options, settings);
  const named: ResolvedModel =
    typeof options.model === "object"
      ? { model: options.model }
      : await resolveModel(registry, { model: options.model, provider }, settings, { stored, scope });
  const usualLevel = settings.modelThinkingLevels?.[`${named.model?.provider}/${named.model?.id}`] ?? settings.defaultThinkingLevel;
  const level = options.thinkingLevel ?? named.thinkingLevel ?? context.thinkingLevel ?? usualLevel;
  return {
    registry,
    model: named.model && (await registry.prepare(named.model)),
    thinkingLevel: (level !== undefined && parseThinkingLevel(level)) || "medium",
    scope,
  };
}

/** @returns Undefined if there is no list, or no model matches that of the settings. */
async function findScope(
  registry: ModelRegistry,
  { modelScope }: Setup["options"],
  { enabledModels = [] }: Settings,
): Promise<ScopedModel[] | undefined> {
  const names = modelScope ?? enabledModels;
  if (names.length === 0) return undefined;
  const { resolveScope } = await import("../../models/model-scope.ts");
  const scope = resolveScope(registry, names);
  if (modelScope) return scope;
  return scope.catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    registry.report(`enabledModels of the settings has no effect. ${error.message}`);
    return undefined;
  });
}
