import {
  type AssistantMessage,
  AssistantMessageEventStream,
  type Context,
  type Model,
  type StreamOptions,
  stream,
} from "@pikit/ai";
import type { ModelRegistry } from "../models/model-registry.ts";

/** The key and the headers for a request to a model. */
export type RequestAuth = { ok: true; apiKey?: string; headers?: Record<string, string> } | { ok: false; error: string };

/** The models of a session, as extensions see them. Models of servers on this machine are not listed. */
export interface ModelRegistryView {
  /** All listed models, with or without a key. */
  getAll(): Model[];
  /** The models whose provider has a key or needs none. */
  getAvailable(): Model[];
  find(provider: string, modelId: string): Model | undefined;
  /** Whether the provider of a model has a key or needs none. */
  hasConfiguredAuth(model: Model): boolean;
  getApiKeyAndHeaders(model: Model): Promise<RequestAuth>;
  getApiKeyForProvider(provider: string): Promise<string | undefined>;
  getProviderDisplayName(provider: string): string;
  isUsingOAuth(model: Model): boolean;
  /** The problem with `models.json`; undefined if there is none. */
  getError(): string | undefined;
  /** Reads the models again. */
  refresh(): Promise<void>;
  /** Calls a model with the session's keys. */
  stream(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream;
  streamSimple(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream;
  complete(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage>;
}

/** Reads the registry of a session without waiting, from what `load` has read. */
export class RegistryView implements ModelRegistryView {
  readonly #find: () => ModelRegistry;
  #models: readonly Model[] = [];
  #usable: ReadonlySet<string> = new Set();
  #error: string | undefined;

  /** @param find - Returns the registry of the session. */
  constructor(find: () => ModelRegistry) {
    this.#find = find;
  }

  get #registry(): ModelRegistry {
    return this.#find();
  }

  /** Reads the models. Call it before extensions use the view. Never rejects. */
  async load(): Promise<void> {
    try {
      this.#models = await this.#registry.all();
      const usable = await Promise.all(this.#models.map((model) => this.#registry.isUsable(model)));
      this.#usable = new Set(this.#models.flatMap((model, index) => (usable[index] ? [model.provider] : [])));
      this.#error = undefined;
    } catch (error) {
      this.#error = error instanceof Error ? error.message : String(error);
    }
  }

  getAll(): Model[] {
    return [...this.#models];
  }

  getAvailable(): Model[] {
    return this.#models.filter((model) => this.hasConfiguredAuth(model));
  }

  find(provider: string, modelId: string): Model | undefined {
    return this.#models.find((model) => model.provider === provider && model.id === modelId);
  }

  hasConfiguredAuth({ provider }: Model): boolean {
    return this.#usable.has(provider);
  }

  async getApiKeyAndHeaders(model: Model): Promise<RequestAuth> {
    try {
      await this.#registry.requireCredentials(model);
      const { headers: resolved, ...auth } = await this.#registry.authFor(model);
      const headers = { ...model.headers, ...resolved };
      return { ok: true, ...auth, ...(Object.keys(headers).length > 0 ? { headers } : {}) };
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
  }

  async getApiKeyForProvider(provider: string): Promise<string | undefined> {
    const model = this.#models.find((each) => each.provider === provider);
    return model && (await this.#registry.authFor(model)).apiKey;
  }

  getProviderDisplayName(provider: string): string {
    return provider;
  }

  isUsingOAuth(): boolean {
    return false;
  }

  getError(): string | undefined {
    return this.#error;
  }

  refresh(): Promise<void> {
    return this.load();
  }

  stream(model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream {
    const events = new AssistantMessageEventStream();
    void this.#run(model, context, options, events);
    return events;
  }

  streamSimple(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream {
    return this.stream(model, context, options);
  }

  complete(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
    return this.stream(model, context, options).result();
  }

  async #run(model: Model, context: Context, options: StreamOptions, events: AssistantMessageEventStream): Promise<void> {
    // Without a key the call itself reports the problem.
    const { headers: resolved, ...auth } = await this.#registry.authFor(model).catch(() => ({ headers: {} }));
    const headers = { ...resolved, ...options.headers };
    const answer = stream(model, context, { ...auth, ...options, headers });
    for await (const event of answer) events.push(event);
    events.failure = answer.failure;
    events.end(await answer.result());
  }
}
