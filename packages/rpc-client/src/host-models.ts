import type { AiSdkModel } from "./ai-sdk/model.ts";
import type { ModelFunction } from "./model-function.ts";
import { runHostModel } from "./protocol.ts";
import type { HostModel, HostModelContext, HostModelOptions } from "./protocol-types.ts";
import type { SentRecord } from "./transport.ts";

/** A model that runs in this program, under the provider `host`. */
export interface ClientModel extends Omit<HostModel, "name"> {
  /** Default: the id. */
  name?: string;
  /** A function, or a model of the AI SDK's provider interface. */
  model: ModelFunction | AiSdkModel;
}

interface HostModelCall {
  id: string;
  modelId: string;
  context: HostModelContext;
  options: HostModelOptions;
}

interface HostModelsOptions {
  /** Sends a frame; throws when it is too long. */
  send: (frame: SentRecord) => void;
  /** Whether other clients have models too. Calls of unknown models are then kept until they are cancelled, or such a model is registered. */
  isShared: () => boolean;
}

/** Runs the models of the program for the agent. */
export class HostModels {
  readonly #options: HostModelsOptions;
  readonly #calls = new Map<string, AbortController>();
  /** Open calls of models that this program does not have. */
  readonly #foreignCalls = new Map<string, HostModelCall>();
  #models: readonly ClientModel[] = [];
  /** The previous models during `replace`: the agent may still call them. */
  #former: readonly ClientModel[] = [];

  constructor(options: HostModelsOptions) {
    this.#options = options;
  }

  /** The models as records of the protocol. */
  get definitions(): HostModel[] {
    return this.#models.map(({ model: _model, name, ...definition }) => ({ ...definition, name: name ?? definition.id }));
  }

  /** Replaces the models while `tell` registers them with the agent; if it rejects, the previous models stay. Running calls continue. */
  async replace<T>(models: readonly ClientModel[], tell: () => Promise<T>): Promise<T> {
    const former = this.#models;
    const current = [...models];
    this.#models = current;
    this.#former = former;
    try {
      const told = await tell();
      this.#runForeignCalls();
      return told;
    } catch (error) {
      if (this.#models === current) this.#models = former;
      throw error;
    } finally {
      this.#former = [];
    }
  }

  /** @throws {TypeError} For a frame without the fields of a call. */
  onCall(frame: Record<string, unknown>): void {
    const { id, modelId, context, options } = frame;
    if (typeof id !== "string" || typeof modelId !== "string" || typeof context !== "object" || context === null) {
      throw new TypeError("A host_model_call needs id, modelId and context.");
    }
    const call = { id, modelId, context: context as HostModelContext, options: (options ?? {}) as HostModelOptions };
    const model = this.#find(modelId);
    if (model !== undefined) void this.#run(model, call);
    else if (this.#options.isShared()) this.#foreignCalls.set(id, call);
    else this.#options.send({ type: "host_model_error", id, message: `This program has no model "${modelId}".`, retryable: false });
  }

  onCancel(frame: Record<string, unknown>): void {
    this.#end(String(frame.targetId), new Error("The agent cancelled the call."));
  }

  /** Aborts every call, because the agent no longer waits for it. */
  endAll(reason: Error): void {
    this.#foreignCalls.clear();
    for (const id of [...this.#calls.keys()]) this.#end(id, reason);
  }

  #find(modelId: string): ClientModel | undefined {
    return [...this.#models, ...this.#former].find(({ id }) => id === modelId);
  }

  /** Runs the calls that were made before this program had their models, for example by an earlier client of the session. */
  #runForeignCalls(): void {
    for (const [id, call] of this.#foreignCalls) {
      const model = this.#find(call.modelId);
      if (model === undefined) continue;
      this.#foreignCalls.delete(id);
      void this.#run(model, call);
    }
  }

  async #run({ model }: ClientModel, { id, ...request }: HostModelCall): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#calls.set(id, controller);
    const run = typeof model === "function" ? model : await toFunction(model);
    await runHostModel(
      run as Parameters<typeof runHostModel>[0],
      { ...request, signal } as Parameters<typeof runHostModel>[1],
      (frame) => {
        // Drops frames of a call that is over, because the agent may have reused its id.
        if (this.#calls.get(id) !== controller) return;
        if (frame.type !== "host_model_event") this.#calls.delete(id);
        this.#send({ ...frame, id });
      },
    );
    if (this.#calls.get(id) === controller) this.#calls.delete(id);
  }

  /** A frame that is too long to send fails the call. */
  #send(frame: SentRecord): void {
    try {
      this.#options.send(frame);
    } catch (error) {
      const controller = this.#calls.get(frame.id);
      this.#calls.delete(frame.id);
      this.#options.send({ type: "host_model_error", id: frame.id, message: (error as Error).message, retryable: false });
      controller?.abort(error);
    }
  }

  #end(id: string, reason: Error): void {
    const controller = this.#calls.get(id);
    this.#foreignCalls.delete(id);
    this.#calls.delete(id);
    controller?.abort(reason);
  }
}

async function toFunction(model: AiSdkModel): Promise<ModelFunction> {
  const { answerWith } = await import("./ai-sdk/answer.ts");
  return (call) => answerWith(model, call);
}
