import { join, resolve } from "node:path";
import {
  isReplayed,
  keyVariablesOf,
  loadProviderModels,
  loadScriptedModel,
  type Model,
  providers,
  type ReplayModel,
  record,
  replay,
} from "@pikit/ai";
import { mayExist } from "../config/may-exist.ts";
import { SessionError } from "../errors.ts";
import type { Credentials } from "./credentials.ts";
import type { CustomProvider } from "./custom-providers.ts";

/** Providers that are always there and ask nobody. */
const offlineProviders: ReadonlySet<string> = new Set(["demo", "script"]);

/** All models that can be named: the built-in catalog, the providers of `models.json`, the offline demo, script files and recordings. */
export class ModelRegistry {
  readonly #credentials: Credentials;
  readonly #modelsFile: string;
  readonly #cwd: string;
  readonly #recordTo: string | undefined;
  readonly #isOffline: boolean;
  #customProviders: Promise<CustomProvider[]> | undefined;
  /** Those that were added while the program runs, last first. */
  #added: CustomProvider[] = [];
  /** Once a recording is chosen its models are all there are, so that a run that is replayed reaches no provider. */
  #replay: ReplayModel | undefined;

  /** @param options - `cwd` is what paths of script files and recordings are relative to; `recordTo` is where answers are recorded; `offline`: only models on this machine may be asked. */
  constructor(options: { agentDir: string; credentials: Credentials; cwd: string; recordTo?: string; offline?: boolean }) {
    this.#credentials = options.credentials;
    this.#modelsFile = join(options.agentDir, "models.json");
    this.#cwd = options.cwd;
    this.#recordTo = options.recordTo;
    this.#isOffline = options.offline ?? false;
  }

  /**
   * The model of that provider and id; undefined when there is none.
   *
   * @throws {UsageError} When `models.json` is faulty. {AiError} When a script file or a recording is.
   */
  async find(provider: string, id: string): Promise<Model | undefined> {
    if (provider === "script") return { ...(await loadScriptedModel(resolve(this.#cwd, id))), id };
    if (provider === "replay") {
      this.#replay = await replay(resolve(this.#cwd, id), { cwd: this.#cwd });
      return this.#replay;
    }
    return (await this.#modelsOf(provider)).find((model) => model.id === id);
  }

  /** Adds a provider; one that was added under the same name before goes. Its models win over those of `models.json`. */
  addProvider(provider: CustomProvider): void {
    this.#added = [provider, ...this.#added.filter(({ name }) => name !== provider.name)];
  }

  /**
   * The model as it is to be asked: one that is recorded, where this session is.
   *
   * @throws {AiError} When it cannot be recorded.
   */
  async prepare(model: Model): Promise<Model> {
    return this.#recordTo === undefined ? model : record(model, this.#recordTo, { cwd: this.#cwd });
  }

  /** Every model that can be listed, whether or not there is a key for it. */
  async all(): Promise<Model[]> {
    if (this.#replay) return [...this.#replay.recordedModels];
    const custom = (await this.#custom()).map(({ name }) => name);
    const names = [...new Set([...custom, ...providers.map(({ provider }) => provider), "demo"])];
    return (await Promise.all(names.map((name) => this.#modelsOf(name)))).flat();
  }

  /** The models of servers that run on this machine now. Asks them; never called unless a user asks for local models. */
  async local(): Promise<Model[]> {
    return (await import("./local-servers.ts")).findLocalModels();
  }

  /** The models whose provider has credentials or needs none. */
  async available(): Promise<Model[]> {
    const models = await this.all();
    const usable = await Promise.all(models.map((model) => this.isUsable(model)));
    return models.filter((_model, index) => usable[index]);
  }

  /** Whether the model's provider has credentials or needs none. */
  async isUsable(model: Model): Promise<boolean> {
    return (await this.#keyVariables(model)).length === 0 || (await this.keyFor(model)) !== undefined;
  }

  /** The key for a request to the model; undefined when there is none. */
  async keyFor(model: Model): Promise<string | undefined> {
    if (offlineProviders.has(model.provider) || isReplayed(model)) return undefined;
    return this.#credentials.find(model.provider, await this.#configuredKey(model.provider));
  }

  /** @throws {SessionError} `no_model` when the model is asked over the network, and that is not wanted. */
  requireReachable(model: Model): void {
    if (!this.#isOffline || model.api === "scripted" || isReplayed(model) || isOnThisMachine(model.baseUrl)) return;
    throw new SessionError(
      "no_model",
      `${model.provider}/${model.id} is asked over the network, which --offline forbids. Choose a model of this machine, or demo/tour.`,
    );
  }

  /** @throws {SessionError} `no_credentials`, saying how to give them; `no_model` as `requireReachable`. */
  async requireCredentials(model: Model): Promise<void> {
    this.requireReachable(model);
    if (await this.isUsable(model)) return;
    const variables = (await this.#keyVariables(model)).join(" or ");
    throw new SessionError(
      "no_credentials",
      `No API key for ${model.provider}: set ${variables}, pass --api-key, or try the offline demo with --model demo/tour.`,
    );
  }

  /** The model of the first provider that has a key; undefined when none has. */
  async defaultModel(): Promise<Model | undefined> {
    for (const { provider, defaultModelId, needsBaseUrl } of providers) {
      if (this.#credentials.find(provider) === undefined) continue;
      const model = await this.find(provider, defaultModelId);
      if (!needsBaseUrl || model?.baseUrl) return model;
    }
    return undefined;
  }

  /** The built-in default of a provider; undefined for providers without one. */
  async defaultOf(provider: string): Promise<Model | undefined> {
    const entry = providers.find((candidate) => candidate.provider === provider);
    return entry ? this.find(provider, entry.defaultModelId) : undefined;
  }

  /** The variables that can hold the model's key; empty when it needs none. */
  async #keyVariables(model: Model): Promise<string[]> {
    const { provider } = model;
    if (offlineProviders.has(provider) || isReplayed(model)) return [];
    const configured = await this.#configuredKey(provider);
    return [...keyVariablesOf(provider), ...(configured?.startsWith("$") ? [configured.slice(1)] : [])];
  }

  /** `apiKey` of a provider in `models.json`, as it is written there. */
  async #configuredKey(provider: string): Promise<string | undefined> {
    return (await this.#custom()).find(({ name, apiKey }) => name === provider && apiKey !== undefined)?.apiKey;
  }

  async #modelsOf(provider: string): Promise<readonly Model[]> {
    if (this.#replay) return this.#replay.recordedModels.filter((model) => model.provider === provider);
    if (provider === "demo") return [(await import("./demo.ts")).createDemoModel()];
    // A provider of models.json adds to the built-in one of the same name, and wins where both have a model.
    const custom = (await this.#custom()).flatMap(({ name, models }) => (name === provider ? models : []));
    const builtIn = provider === "local" ? await this.local() : await loadProviderModels(provider);
    return [...custom, ...builtIn.filter(({ id }) => !custom.some((model) => model.id === id))];
  }

  async #custom(): Promise<CustomProvider[]> {
    this.#customProviders ??= this.#readCustomProviders();
    return [...this.#added, ...(await this.#customProviders)];
  }

  async #readCustomProviders(): Promise<CustomProvider[]> {
    if (!mayExist(this.#modelsFile)) return [];
    return (await import("./custom-providers.ts")).readCustomProviders(this.#modelsFile);
  }
}

/** Whether an address leads to this machine, by its own name for itself. */
function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
