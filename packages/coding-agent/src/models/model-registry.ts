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

/** Providers that are always available and use no network. */
const offlineProviders: ReadonlySet<string> = new Set(["demo", "script"]);

export interface ModelRegistryOptions {
  agentDir: string;
  credentials: Credentials;
  /** The base of relative paths of script files and recordings. */
  cwd: string;
  /** The file to which answers are recorded. Default: none. */
  recordTo?: string;
  /** Whether only models on this machine may be used. Default: false. */
  offline?: boolean;
  /** Called with a line of text, once for each unlisted model, which describes the assumptions about it. */
  report?(notice: string): void;
}

/** All available models: the built-in catalog, the providers of `models.json`, the offline demo, script files and recordings. */
export class ModelRegistry {
  readonly #credentials: Credentials;
  readonly #modelsFile: string;
  readonly #cwd: string;
  readonly #recordTo: string | undefined;
  readonly #isOffline: boolean;
  /** Reports an assumption about a model, or a model that cannot be used. */
  readonly report: (notice: string) => void;
  /** The unlisted models that were reported. */
  readonly #toldOf = new Set<string>();
  #customProviders: Promise<CustomProvider[]> | undefined;
  /** Providers that were added at run time, the latest first. */
  #added: CustomProvider[] = [];
  /** After a recording is chosen, only its models exist, so that a replayed run calls no provider. */
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
   * Finds a listed model, or an unlisted one with `findUnlisted`; undefined if there is none.
   *
   * @throws {UsageError} When `models.json` is invalid.
   * @throws {AiError} When a script file or a recording is invalid.
   */
  async find(provider: string, id: string): Promise<Model | undefined> {
    return (await this.findListed(provider, id)) ?? this.findUnlisted(provider, id);
  }

  /**
   * Creates a model for an id that its provider's list lacks, if the provider has credentials or needs none: vendors release models faster than
   * catalogs are updated. The assumptions about the model are reported.
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

  /** Finds a listed model, a script file or a recording; undefined if there is none. Throws like `find`. */
  async findListed(provider: string, id: string): Promise<Model | undefined> {
    if (provider === "script") return { ...(await loadScriptedModel(resolve(this.#cwd, id))), id };
    if (provider === "replay") {
      this.#replay = await replay(resolve(this.#cwd, id), { cwd: this.#cwd });
      return this.#replay;
    }
    return this.#findWithin(provider, (models) => models.find((model) => model.id === id));
  }

  /** Adds a provider; it replaces an added one with the same name. Its models take precedence over those of `models.json`. */
  addProvider(provider: CustomProvider): void {
    this.#added = [provider, ...this.#added.filter(({ name }) => name !== provider.name)];
  }

  /** Removes a provider that was added. */
  removeProvider(name: string): void {
    this.#added = this.#added.filter((provider) => provider.name !== name);
  }

  /**
   * Prepares a model for use: with `recordTo`, a copy that records its answers.
   *
   * @throws {AiError} When it cannot be recorded.
   */
  async prepare(model: Model): Promise<Model> {
    return this.#recordTo === undefined ? model : record(model, this.#recordTo, { cwd: this.#cwd });
  }

  /** All listed models, with or without a key. */
  async all(): Promise<Model[]> {
    if (this.#replay) return [...this.#replay.recordedModels];
    return (await Promise.all((await this.providerNames()).map((name) => this.#listOf(name)))).flat();
  }

  /** The models of the servers on this machine. Sends requests to them, so it is only called when the user asks for local models. */
  async local(): Promise<Model[]> {
    return (await import("./local-servers.ts")).findLocalModels();
  }

  /** The models whose provider has credentials or needs none; the demo only if there is no other. */
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

  /** @throws {SessionError} `no_model` when the model needs the network and the session is offline. */
  requireReachable(model: Model): void {
    if (!this.#isOffline || model.api === "scripted" || isReplayed(model) || isOnThisMachine(model.baseUrl)) return;
    throw new SessionError(
      "no_model",
      `${model.provider}/${model.id} needs the network, which --offline forbids. Choose a model on this machine, or demo/tour.`,
    );
  }

  /** @throws {SessionError} `no_credentials`, with instructions in the message; `no_model` like `requireReachable`. */
  async requireCredentials(model: Model): Promise<void> {
    this.requireReachable(model);
    if (await this.isUsable(model)) return;
    const variables = (await this.#keyVariables(model.provider)).join(" or ");
    throw new SessionError(
      "no_credentials",
      `No API key for ${model.provider}: set ${variables}, pass --api-key, or try the offline demo with --model demo/tour.`,
    );
  }

  /** The default model of the first provider with a key, otherwise the first usable model of `models.json`; undefined if there is none. */
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

  /** The built-in default model of a provider, otherwise its first model; undefined if it has none. */
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

  /** The environment variables for a provider's key; empty if it needs none. */
  async #keyVariables(provider: string): Promise<string[]> {
    if (offlineProviders.has(provider)) return [];
    const configured = await this.#configuredKey(provider);
    return [...keyVariablesOf(provider), ...(configured?.startsWith("$") ? [configured.slice(1)] : [])];
  }

  /** `apiKey` of a provider in `models.json`, unchanged. */
  async #configuredKey(provider: string): Promise<string | undefined> {
    return (await this.#custom()).find(({ name, apiKey }) => name === provider && apiKey !== undefined)?.apiKey;
  }

  /** Finds a model of a provider. Servers on this machine are queried only if no list has it. */
  async #findWithin(provider: string, find: (models: readonly Model[]) => Model | undefined): Promise<Model | undefined> {
    if (this.#replay) return find(this.#replay.recordedModels.filter((model) => model.provider === provider));
    return find(await this.#listOf(provider)) ?? (provider === "local" ? find(await this.local()) : undefined);
  }

  /** The models of a provider that need no request. */
  async #listOf(provider: string): Promise<readonly Model[]> {
    if (provider === "demo") return [(await import("./demo.ts")).createDemoModel()];
    // A provider of models.json extends the built-in one with the same name; its models take precedence.
    const custom = await this.#customModelsOf(provider);
    return [...custom, ...(await loadProviderModels(provider)).filter(({ id }) => !custom.some((model) => model.id === id))];
  }

  async #customModelsOf(provider: string): Promise<Model[]> {
    return (await this.#custom()).flatMap(({ name, models }) => (name === provider ? models : []));
  }

  /** The endpoint for unlisted models of a provider; undefined if it has none. */
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

/** Whether a model is the offline demo, which is offered only if there is no other model. */
export function isDemo({ provider }: Pick<Model, "provider">): boolean {
  return provider === "demo";
}

/** Whether a URL has a loopback host. */
function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
