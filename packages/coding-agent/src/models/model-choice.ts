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
  /** What the user chose; each model gets the nearest level that it supports. */
  thinkingLevel: ThinkingLevel;
  /** The models that `cycle` walks, with the level that each is to have; absent: all that can be used. */
  scope?: readonly ScopedModel[];
  /** Called after model or level have changed, to store them. */
  onChanged(): Promise<void>;
  /** Called when the level that is in effect has become another one. */
  onLevelChanged(level: ThinkingLevel): void;
}

export interface ScopedModel {
  model: Model;
  thinkingLevel?: ThinkingLevel;
}

/** Which model answers, and how hard it thinks. */
export class ModelChoice {
  readonly #parts: ModelChoiceParts;
  #wantedLevel: ThinkingLevel;

  constructor(parts: ModelChoiceParts) {
    this.#parts = parts;
    this.#wantedLevel = parts.thinkingLevel;
  }

  /** The model of that provider and id, also one that is not listed where the provider has credentials; undefined when there is none. */
  find(provider: string, modelId: string): Promise<Model | undefined> {
    return this.#parts.models.find(provider, modelId);
  }

  /** Why `find` found nothing, with the nearest names. */
  async describeMissing(provider: string, modelId: string): Promise<string> {
    return (await import("./model-not-found.ts")).describeMissingModel(this.#parts.models, `${provider}/${modelId}`);
  }

  /** The models whose provider has credentials or needs none. */
  available(): Promise<Model[]> {
    return this.#parts.models.available();
  }

  /** Whether `cycle` walks a list that the user gave. */
  get isScoped(): boolean {
    return this.#parts.scope !== undefined;
  }

  /** The model that answers; undefined when none is chosen. */
  get current(): Model | undefined {
    return this.#state.model;
  }

  /** How hard the model thinks. */
  get level(): ThinkingLevel {
    return this.#state.thinkingLevel;
  }

  /** The levels that requests to the model can tell apart; `off` alone without reasoning. */
  get levels(): ThinkingLevel[] {
    const { model } = this.#state;
    return model ? thinkingLevelsOf(model) : ["off"];
  }

  /** Answers with this model from the next model call on. */
  async set(model: Model): Promise<void> {
    this.#state.model = await this.#parts.models.prepare(model);
    // The next prompt asks it; whoever uses it then tells what is wrong.
    loadApi(model.api).catch(() => undefined);
    await this.#applyLevel();
  }

  /**
   * Thinks so hard from the next model call on: at the nearest level that the model has; `max` is its highest.
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

  /** Goes to the next model. Returns it; undefined when there is no other. */
  async cycle(): Promise<Model | undefined> {
    const choices = this.#parts.scope ?? (await this.#cyclable());
    const current = choices.findIndex(({ model }) => isSame(model, this.#state.model));
    const next = choices[(current + 1) % choices.length];
    if (!next || isSame(next.model, this.#state.model)) return undefined;
    if (next.thinkingLevel) this.#wantedLevel = next.thinkingLevel;
    await this.set(next.model);
    return next.model;
  }

  /** Goes to the next level that the model supports. Returns it; undefined when there is only one. */
  async cycleLevel(): Promise<ThinkingLevel | undefined> {
    const { levels } = this;
    if (levels.length < 2) return undefined;
    const next = levels[(levels.indexOf(this.#state.thinkingLevel) + 1) % levels.length] as ThinkingLevel;
    await this.setLevel(next);
    return next;
  }

  /** Takes over what a branch was last set to, as far as it can be had now. */
  async follow({ model, thinkingLevel }: Pick<BranchContext, "model" | "thinkingLevel">): Promise<void> {
    const { models } = this.#parts;
    const found = model && (await models.find(model.provider, model.modelId).catch(() => undefined));
    if (model && !found)
      models.report(
        `The session's model ${model.provider}/${model.modelId} cannot be used here any more: the present one is kept.`,
      );
    if (found && !isSame(found, this.#state.model)) this.#state.model = await models.prepare(found);
    this.#wantedLevel = (thinkingLevel && parseThinkingLevel(thinkingLevel)) ?? this.#wantedLevel;
    this.#clampLevel();
  }

  async #cyclable(): Promise<ScopedModel[]> {
    const models = await this.#parts.models.available();
    return models.filter((model) => !isDemo(model)).map((model) => ({ model }));
  }

  get #state(): Agent["state"] {
    return this.#parts.agent.state;
  }

  async #applyLevel(): Promise<void> {
    const isChanged = this.#clampLevel();
    await this.#parts.onChanged();
    if (isChanged) this.#parts.onLevelChanged(this.#state.thinkingLevel);
  }

  #clampLevel(): boolean {
    const before = this.#state.thinkingLevel;
    this.#state.thinkingLevel = levelFor(this.#wantedLevel, this.#state.model);
    return this.#state.thinkingLevel !== before;
  }
}

/** The level that the model has for a wanted one; without a model it is off. */
export function levelFor(level: ThinkingLevel, model: Model | undefined): ThinkingLevel {
  return model ? clampThinkingLevel(level, model) : "off";
}

function isSame(a: Model, b: Model | undefined): boolean {
  return a.provider === b?.provider && a.id === b.id;
}
