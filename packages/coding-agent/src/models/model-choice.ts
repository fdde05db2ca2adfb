import type { Agent } from "@pikit/agent";
import {
  clampThinkingLevel,
  loadApi,
  type Model,
  parseThinkingLevel,
  type RequestedThinkingLevel,
  type ThinkingLevel,
  thinkingLevels,
  thinkingLevelsOf,
} from "@pikit/ai";
import type { BranchContext } from "../conversation/context.ts";
import { SessionError } from "../errors.ts";
import { isDemo, type ModelRegistry } from "./model-registry.ts";

export interface ModelChoiceParts {
  agent: Agent;
  models: ModelRegistry;
  /** The user's level; each model gets the nearest level that it supports. */
  thinkingLevel: ThinkingLevel;
  /** The models for `cycle`, each with its thinking level. Default: all usable models. */
  scope?: readonly ScopedModel[];
  /** Called after a change of model or level, to store them. */
  onChanged(): Promise<void>;
  /** Called when the effective level has changed. */
  onLevelChanged(level: ThinkingLevel, previous: ThinkingLevel): void;
  /** Called when another model is used. `restore`: it is that of a session or branch. */
  onSelected(model: Model, previous: Model | undefined, source: "set" | "cycle" | "restore"): void;
}

export interface ScopedModel {
  model: Model;
  thinkingLevel?: ThinkingLevel;
}

/** The current model and its thinking level. */
export class ModelChoice {
  readonly #parts: ModelChoiceParts;
  #wantedLevel: ThinkingLevel;
  #scope: readonly ScopedModel[] | undefined;

  constructor(parts: ModelChoiceParts) {
    this.#parts = parts;
    this.#scope = parts.scope;
    this.#wantedLevel = parts.thinkingLevel;
  }

  /** Finds a model, even one that is not listed if its provider has credentials; undefined if there is none. */
  async find(provider: string, modelId: string): Promise<Model | undefined> {
    const { models } = this.#parts;
    const found = await models.find(provider, modelId);
    return found && models.isAwaited(found) ? undefined : found;
  }

  /**
   * Replaces the models that a host holds. If the current model, or one of the list for `cycle`, is among them, it gets its new definition from
   * the next model call on.
   */
  async setHostModels(hostModels: readonly Model[]): Promise<void> {
    const { models } = this.#parts;
    const { toHostProvider } = await import("./host-provider.ts");
    models.addProvider(toHostProvider(hostModels));
    const renewed = (model: Model | undefined) => hostModels.find((each) => isSame(each, model));
    this.#scope = this.#scope?.map((entry) => ({ ...entry, model: renewed(entry.model) ?? entry.model }));
    const current = renewed(this.#state.model);
    if (!current) return;
    this.#state.model = await models.prepare(current);
    await this.#applyLevel();
  }

  /**
   * Finds a model by its name: `id` or `provider/id`, either with `:level`.
   *
   * @throws {UsageError} When there is none; the message has the nearest names.
   */
  async named(name: string): Promise<{ model: Model | undefined; thinkingLevel?: ThinkingLevel }> {
    return (await import("./find-model.ts")).findModel(this.#parts.models, name, undefined);
  }

  /** The message for a model that `find` did not find, with the nearest names. */
  async describeMissing(provider: string, modelId: string): Promise<string> {
    return (await import("./model-not-found.ts")).describeMissingModel(this.#parts.models, `${provider}/${modelId}`);
  }

  /** The models whose provider has credentials or needs none. */
  available(): Promise<Model[]> {
    return this.#parts.models.available();
  }

  /** Whether `cycle` uses a list from the user. */
  get isScoped(): boolean {
    return this.#scope !== undefined;
  }

  /** The list from the user for `cycle`; empty if there is none. */
  get scope(): readonly ScopedModel[] {
    return this.#scope ?? [];
  }

  /** The current model; undefined if none is chosen. */
  get current(): Model | undefined {
    return this.#state.model;
  }

  /** The current thinking level. */
  get level(): ThinkingLevel {
    return this.#state.thinkingLevel;
  }

  /** The thinking levels of the current model; only `off` without reasoning. */
  get levels(): ThinkingLevel[] {
    const { model } = this.#state;
    return model ? thinkingLevelsOf(model) : ["off"];
  }

  /** Sets the model for the next model calls. */
  set(model: Model): Promise<void> {
    return this.#set(model, "set");
  }

  async #set(model: Model, source: "set" | "cycle"): Promise<void> {
    const previous = this.#state.model;
    this.#state.model = await this.#parts.models.prepare(model);
    // Loads the api early. If this fails, the next model call reports the error.
    loadApi(model.api).catch(() => undefined);
    await this.#applyLevel();
    if (!isSame(model, previous)) this.#parts.onSelected(model, previous, source);
  }

  /**
   * Sets the thinking level for the next model calls. The model uses its nearest level; `max` is its highest.
   *
   * @throws {SessionError} `invalid_input` for an unknown level.
   */
  async setLevel(level: RequestedThinkingLevel): Promise<void> {
    const wanted = parseThinkingLevel(level);
    if (wanted === undefined) {
      throw new SessionError(
        "invalid_input",
        `Unknown thinking level "${String(level)}". Use one of ${thinkingLevels.join(", ")}, or max for the highest.`,
      );
    }
    this.#wantedLevel = wanted;
    await this.#applyLevel();
  }

  /** Changes to the next model and returns it; undefined if there is no other. */
  async cycle(): Promise<Model | undefined> {
    const choices = this.#scope ?? (await this.#cyclable());
    const current = choices.findIndex(({ model }) => isSame(model, this.#state.model));
    const next = choices[(current + 1) % choices.length];
    if (!next || isSame(next.model, this.#state.model)) return undefined;
    if (next.thinkingLevel) this.#wantedLevel = next.thinkingLevel;
    await this.#set(next.model, "cycle");
    return next.model;
  }

  /** Changes to the next level of the model and returns it; undefined if there is only one. */
  async cycleLevel(): Promise<ThinkingLevel | undefined> {
    const { levels } = this;
    if (levels.length < 2) return undefined;
    const next = levels[(levels.indexOf(this.#state.thinkingLevel) + 1) % levels.length] as ThinkingLevel;
    await this.setLevel(next);
    return next;
  }

  /** Restores the model and level of a branch, if the model can still be used. */
  async follow({ model, thinkingLevel }: Pick<BranchContext, "model" | "thinkingLevel">): Promise<void> {
    const { models } = this.#parts;
    const found = model && (await models.find(model.provider, model.modelId).catch(() => undefined));
    if (model && !found)
      models.report(
        `The session's model ${model.provider}/${model.modelId} cannot be used here any more. The current model stays.`,
      );
    const previous = this.#state.model;
    const isOther = found !== undefined && !isSame(found, previous);
    if (isOther) this.#state.model = await models.prepare(found);
    this.#wantedLevel = (thinkingLevel && parseThinkingLevel(thinkingLevel)) ?? this.#wantedLevel;
    this.#clampLevel();
    if (isOther) this.#parts.onSelected(found, previous, "restore");
  }

  async #cyclable(): Promise<ScopedModel[]> {
    const models = await this.#parts.models.available();
    return models.filter((model) => !isDemo(model)).map((model) => ({ model }));
  }

  get #state(): Agent["state"] {
    return this.#parts.agent.state;
  }

  async #applyLevel(): Promise<void> {
    const previous = this.#state.thinkingLevel;
    const isChanged = this.#clampLevel();
    await this.#parts.onChanged();
    if (isChanged) this.#parts.onLevelChanged(this.#state.thinkingLevel, previous);
  }

  #clampLevel(): boolean {
    const before = this.#state.thinkingLevel;
    this.#state.thinkingLevel = levelFor(this.#wantedLevel, this.#state.model);
    return this.#state.thinkingLevel !== before;
  }
}

/** The model's level for a requested one; `off` without a model. */
export function levelFor(level: ThinkingLevel, model: Model | undefined): ThinkingLevel {
  return model ? clampThinkingLevel(level, model) : "off";
}

function isSame(a: Model, b: Model | undefined): boolean {
  return a.provider === b?.provider && a.id === b.id;
}
