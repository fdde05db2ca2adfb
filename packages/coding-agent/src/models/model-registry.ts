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
import type { Endpoint } from "./endpoint.ts";

/** Providers that are always there and ask nobody. */
const offlineProviders: ReadonlySet<string> = new Set(["demo", "script"]);

export interface ModelRegistryOptions {
  agentDir: string;
  credentials: Credentials;
  /** What paths of script files and recordings are relative to. */
  cwd: string;
  /** Where answers are recorded. Default: nowhere. */
  recordTo?: string;
  /** Whether only models on this machine may be asked. Default false. */
  offline?: boolean;
  /** Told in one line of each model that no list has, once, and of what was assumed about it. */
  report?(notice: string): void;
}

/** All models that can be named: the built-in catalog, the providers of `models.json`, the offline demo, script files and recordings. */
export class ModelRegistry {
  readonly #credentials: Credentials;
  readonly #modelsFile: string;
  readonly #cwd: string;
  readonly #recordTo: string | undefined;
  readonly #isOffline: boolean;
  /** Tells of what was assumed about a model, or could not be had. */
  readonly report: (notice: string) => void;
  /** Unlisted models that were told of. */
  readonly #toldOf = new Set<string>();
  #customProviders: Promise<CustomProvider[]> | undefined;
  /** Those that were added while the program runs, last first. */
  #added: CustomProvider[] = [];
  /** Once a recording is chosen its models are all there are, so that a run that is replayed reaches no provider. */
  #replay: ReplayModel | undefined;

  constructor(options: ModelRegistryOptions) {
    this.#credentials = options.credentials;
    this.#modelsFile = join(options.agentDir, "models.json");
    this.#cwd = options.cwd;
    this.#recordTo = options.recordTo;
    this.#isOffline = options.offline ?? false;
    this.report = options.report ?? (() => {});
  }

  /**
   * The model of that provider and id, also one that is not listed, as `findUnlisted`; undefined when there is none.
   *
   * @throws {UsageError} When `models.json` is faulty. {AiError} When a script file or a recording is.
   */
  async find(provider: string, id: string): Promise<Model | undefined> {
    return (await this.findListed(provider, id)) ?? this.findUnlisted(provider, id);
  }

  /**
   * A model for an id that the list of its provider does not have, where the provider has credentials or needs none: vendors bring models
   * out faster than catalogs are made. What it is taken for is reported.
   */
  async findUnlisted(provider: string, id: string): Promise<Model | undefined> {
    if (this.#replay || !/^[^\s\p{Cc}]+$/u.test(id)) return undefined;
    const endpoint = await this.#endpointOf(provider);
    if (!endpoint || !(await this.#isOpen(provider))) return undefined;
    const { toUnlistedModel } = await import("./unlisted-model.ts");
    const { model, notice } = await toUnlistedModel(id, endpoint, await this.#listOf(provider));
    if (notice !== undefined && !this.#toldOf.has(`${provider}/${id}`)) this.report(notice);
    this.#toldOf.add(`${provider}/${id}`);
    return model;
  }

  /** The model that a list has, a script file or a recording; undefined when there is none. Throws as `find` does. */
  async findListed(provider: string, id: string): Promise<Model | undefined> {
    if (provider === "script") return { ...(await loadScriptedModel(resolve(this.#cwd, id))), id };
    if (provider === "replay") {
      this.#replay = await replay(resolve(this.#cwd, id), { cwd: this.#cwd });
      return this.#replay;
    }
    return this.#findWithin(provider, (models) => models.find((model) => model.id === id));
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
    return (await Promise.all((await this.providerNames()).map((name) => this.#listOf(name)))).flat();
  }

  /** The models of servers that run on this machine now. Asks them; never called unless a user asks for local models. */
  async local(): Promise<Model[]> {
    return (await import("./local-servers.ts")).findLocalModels();
  }

  /** The models whose provider has credentials or needs none; the demo only where there is no other. */
  async available(): Promise<Model[]> {
    const models = await this.all();
    const usable = await Promise.all(models.map((model) => this.isUsable(model)));
    const found = models.filter((_model, index) => usable[index]);
    const real = found.filter((model) => !isDemo(model));
    return real.length > 0 ? real : found;
  }

  /** Whether the model's provider has credentials or needs none. */
  async isUsable(model: Model): Promise<boolean> {
    return isReplayed(model) || this.#isOpen(model.provider);
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
    const variables = (await this.#keyVariables(model.provider)).join(" or ");
    throw new SessionError(
      "no_credentials",
      `No API key for ${model.provider}: set ${variables}, pass --api-key, or try the offline demo with --model demo/tour.`,
    );
  }

  /** The model of the first provider that has a key, else the first of an endpoint that has one or needs none; undefined when none has. */
  async defaultModel(): Promise<Model | undefined> {
    for (const { provider, defaultModelId, needsBaseUrl } of providers) {
      if (this.#credentials.find(provider) === undefined) continue;
      const model = await this.find(provider, defaultModelId);
      if (!needsBaseUrl || model?.baseUrl) return model;
    }
    for (const { models } of this.#replay ? [] : await this.#custom()) {
      if (models[0] && (await this.isUsable(models[0]))) return models[0];
    }
    return undefined;
  }

  /** The built-in default of a provider, else its first model; undefined when it has none. */
  async defaultOf(provider: string): Promise<Model | undefined> {
    const entry = providers.find((candidate) => candidate.provider === provider);
    const model = entry && (await this.findListed(provider, entry.defaultModelId));
    return model ?? this.#findWithin(provider, ([first]) => first);
  }

  /** The names of all providers that have models, or may have. */
  async providerNames(): Promise<string[]> {
    const custom = (await this.#custom()).map(({ name }) => name);
    return [...new Set([...custom, ...providers.map(({ provider }) => provider), "local", "demo"])];
  }

  /** Whether a provider has credentials or needs none. */
  async #isOpen(provider: string): Promise<boolean> {
    if ((await this.#keyVariables(provider)).length === 0) return true;
    return this.#credentials.find(provider, await this.#configuredKey(provider)) !== undefined;
  }

  /** The variables that can hold a provider's key; empty when it needs none. */
  async #keyVariables(provider: string): Promise<string[]> {
    if (offlineProviders.has(provider)) return [];
    const configured = await this.#configuredKey(provider);
    return [...keyVariablesOf(provider), ...(configured?.startsWith("$") ? [configured.slice(1)] : [])];
  }

  /** `apiKey` of a provider in `models.json`, as it is written there. */
  async #configuredKey(provider: string): Promise<string | undefined> {
    return (await this.#custom()).find(({ name, apiKey }) => name === provider && apiKey !== undefined)?.apiKey;
  }

  /** Looks for a model of a provider; servers of this machine are asked only for what no list has. */
  async #findWithin(provider: string, find: (models: readonly Model[]) => Model | undefined): Promise<Model | undefined> {
    if (this.#replay) return find(this.#replay.recordedModels.filter((model) => model.provider === provider));
    return find(await this.#listOf(provider)) ?? (provider === "local" ? find(await this.local()) : undefined);
  }

  /** The models of a provider that are known without asking anybody. */
  async #listOf(provider: string): Promise<readonly Model[]> {
    if (provider === "demo") return [(await import("./demo.ts")).createDemoModel()];
    // A provider of models.json adds to the built-in one of the same name, and wins where both have a model.
    const custom = await this.#customModelsOf(provider);
    return [...custom, ...(await loadProviderModels(provider)).filter(({ id }) => !custom.some((model) => model.id === id))];
  }

  async #customModelsOf(provider: string): Promise<Model[]> {
    return (await this.#custom()).flatMap(({ name, models }) => (name === provider ? models : []));
  }

  /** Where a provider is reached that may have models which are not listed; undefined where there is none. */
  async #endpointOf(provider: string): Promise<Endpoint | undefined> {
    const custom = (await this.#custom()).find(({ name }) => name === provider);
    if (custom) return custom.endpoint;
    const [model] = await loadProviderModels(provider);
    return model && { api: model.api, provider, baseUrl: model.baseUrl };
  }

  async #custom(): Promise<CustomProvider[]> {
    this.#customProviders ??= this.#readCustomProviders();
    return [...this.#added, ...(await this.#customProviders)];
  }

  async #readCustomProviders(): Promise<CustomProvider[]> {
    if (!mayExist(this.#modelsFile)) return [];
    return (await import("./custom-providers.ts")).readCustomProviders(this.#modelsFile, this.report);
  }
}

/** Whether a model is the offline demo, which is there for those who have nothing else. */
export function isDemo({ provider }: Pick<Model, "provider">): boolean {
  return provider === "demo";
}

/** Whether an address leads to this machine, by its own name for itself. */
function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
