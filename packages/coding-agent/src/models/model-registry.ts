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
import { type Credentials, mayRefer, resolveSecret } from "./credentials.ts";
import type { CustomProvider } from "./custom-providers.ts";
import type { Endpoint } from "./endpoint.ts";
import { hostProvider } from "./provider-names.ts";

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
  /** Whether a program may register models of the provider `host` later. They can then be chosen before. Default: false. */
  awaitsHost?: boolean;
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
  readonly #awaitsHost: boolean;
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
    this.#awaitsHost = options.awaitsHost ?? false;
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
    const found = await this.#findWithin(provider, (models) => models.find((model) => model.id === id));
    if (found || !this.#awaitsHost || provider !== hostProvider || this.#replay) return found;
    return (await import("./host-provider.ts")).createAwaitedModel(id);
  }

  /** Whether a model of the provider `host` is not registered: not yet, or no longer. */
  isAwaited({ provider, id }: Model): boolean {
    if (!this.#awaitsHost || provider !== hostProvider || this.#replay) return false;
    return !this.#added.some(({ name, models }) => name === provider && models.some((model) => model.id === id));
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

  /**
   * The key for a request to the model, if there is one, and the headers whose values are variables or commands.
   *
   * @throws {SessionError} `no_credentials` when a command for one of them fails.
   */
  async authFor(model: Model): Promise<{ apiKey?: string; headers?: Record<string, string> }> {
    const { provider } = model;
    if (offlineProviders.has(provider) || isReplayed(model)) return {};
    const { apiKey: configured, authHeader = false } = (await this.#keySource(provider)) ?? {};
    const apiKey = await this.#credentials.find(provider, configured);
    const headers = await resolveHeaders(model);
    if (authHeader && apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`;
    return {
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
    };
  }

  /** @throws {SessionError} `no_model` when the model needs the network and the session is offline. */
  requireReachable(model: Model): void {
    if (!this.#isOffline || model.api === "scripted" || model.api === "host" || isReplayed(model) || isOnThisMachine(model.baseUrl))
      return;
    throw new SessionError(
      "no_model",
      `${model.provider}/${model.id} needs the network, which --offline forbids. Choose a model on this machine, or demo/tour.`,
    );
  }

  /** @throws {SessionError} `no_credentials`, with instructions in the message; `no_model` like `requireReachable`. */
  async requireCredentials(model: Model): Promise<void> {
    this.requireReachable(model);
    if (this.isAwaited(model)) throw new SessionError("no_model", (await import("./host-provider.ts")).notRegistered(model.id));
    if (await this.isUsable(model)) return;
    const variables = (await this.#keyVariables(model.provider)).join(" or ");
    const login = this.#credentials.hasOtherLogin(model.provider) ? " (the OAuth login in auth.json has no effect here)" : "";
    throw new SessionError(
      "no_credentials",
      `No API key for ${model.provider}${login}: set ${variables}, pass --api-key, or try the offline demo with --model demo/tour.`,
    );
  }

  /** The default model of the first provider with a key, otherwise the first usable model of `models.json`; undefined if there is none. */
  async defaultModel(): Promise<Model | undefined> {
    // Read once, since every start without a chosen model comes here.
    const stored = this.#credentials.readFile();
    for (const { provider, defaultModelId, needsBaseUrl } of providers) {
      if (!(await this.#credentials.has(provider, (await this.#keySource(provider))?.apiKey, stored))) continue;
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
    return this.#credentials.has(provider, (await this.#keySource(provider))?.apiKey);
  }

  /** The environment variables for a provider's key; empty if it needs none. */
  async #keyVariables(provider: string): Promise<string[]> {
    if (offlineProviders.has(provider)) return [];
    const { apiKey } = (await this.#keySource(provider)) ?? {};
    const own = apiKey === undefined || !mayRefer(apiKey) ? [] : (await import("./config-value.ts")).variablesIn(apiKey);
    return [...keyVariablesOf(provider), ...own];
  }

  /** The entry of `models.json`, or of an extension, with the key of a provider. */
  async #keySource(provider: string): Promise<CustomProvider | undefined> {
    return (await this.#custom()).find(({ name, apiKey }) => name === provider && apiKey !== undefined);
  }

  /** Finds a model of a provider. Servers on this machine are queried only if no list has it. */
  async #findWithin(provider: string, find: (models: readonly Model[]) => Model | undefined): Promise<Model | undefined> {
    if (this.#replay) return find(this.#replay.recordedModels.filter((model) => model.provider === provider));
    return find(await this.#listOf(provider)) ?? (provider === "local" ? find(await this.local()) : undefined);
  }

  /** The models of a provider that need no request. */
  async #listOf(provider: string): Promise<readonly Model[]> {
    if (provider === "demo") return [(await import("./demo.ts")).createDemoModel()];
    const entries = (await this.#custom()).filter(({ name }) => name === provider);
    const builtIn = await loadProviderModels(provider);
    if (entries.length === 0) return builtIn;
    // A provider of models.json extends the built-in one with the same name; its models take precedence.
    const { changeModel } = await import("./custom-providers.ts");
    const custom = entries.flatMap(({ models }) => models);
    const others = builtIn.filter(({ id }) => !custom.some((model) => model.id === id));
    const changed = (model: Model) => changeModel(model, ...entries.map(({ modelChanges }) => modelChanges.get(model.id)));
    return [
      ...custom.map((model) => (this.#isInFile(model) ? model : changed(model))),
      ...others.map((model) => changed(changeModel(model, ...entries.map(({ change }) => change)))),
    ];
  }

  /** Whether a model is defined in `models.json`, and not only changed there. */
  #isInFile(model: Model): boolean {
    return !this.#added.some(({ models }) => models.includes(model));
  }

  /** The endpoint for unlisted models of a provider; undefined if it has none. */
  async #endpointOf(provider: string): Promise<Endpoint | undefined> {
    const endpoint = (await this.#custom()).find(({ name }) => name === provider)?.endpoint;
    if (endpoint) return endpoint;
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

/** The headers of a model that refer to variables or commands, with their values. One whose variable is not set is empty, and not sent. */
async function resolveHeaders({ provider, headers = {} }: Model): Promise<Record<string, string>> {
  const resolved: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!mayRefer(value) || !(await import("./config-value.ts")).isReference(value)) continue;
    resolved[name] = (await resolveSecret(value, `header ${name} of ${provider} in models.json`)) ?? "";
  }
  return resolved;
}

/** Whether a URL has a loopback host. */
function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
