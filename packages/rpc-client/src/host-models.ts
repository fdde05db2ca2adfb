import type { AiSdkModel } from "./ai-sdk/model.ts";
import { type HostCall, HostCalls } from "./host-calls.ts";
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

interface HostModelCall extends HostCall {
  context: HostModelContext;
  options: HostModelOptions;
}

/** Runs the models of the program for the agent. */
export class HostModels extends HostCalls<ClientModel, HostModelCall> {
  /** The models as records of the protocol. */
  get definitions(): HostModel[] {
    return this.items.map(({ model: _model, name, ...definition }) => ({ ...definition, name: name ?? definition.id }));
  }

  /** @throws {TypeError} For a frame without the fields of a call. */
  onCall(frame: Record<string, unknown>): void {
    const { id, modelId, context, options } = frame;
    if (typeof id !== "string" || typeof modelId !== "string" || typeof context !== "object" || context === null) {
      throw new TypeError("A host_model_call needs id, modelId and context.");
    }
    const call = { id, name: modelId, context: context as HostModelContext, options: (options ?? {}) as HostModelOptions };
    this.accept(call, () => toError(id, `This program has no model "${modelId}".`));
  }

  protected nameOf({ id }: ClientModel): string {
    return id;
  }

  protected async run({ model }: ClientModel, { id, name, ...request }: HostModelCall, controller: AbortController): Promise<void> {
    const run = typeof model === "function" ? model : await toFunction(model);
    await runHostModel(
      run as Parameters<typeof runHostModel>[0],
      { ...request, modelId: name, signal: controller.signal } as Parameters<typeof runHostModel>[1],
      (frame) => {
        if (!this.isOpen(id, controller)) return;
        if (frame.type !== "host_model_event") this.end(id, controller);
        this.#send({ ...frame, id }, controller);
      },
    );
  }

  /** A frame that is too long to send fails the call. */
  #send(frame: SentRecord & { id: string }, controller: AbortController): void {
    try {
      this.send(frame);
    } catch (error) {
      this.end(frame.id, controller);
      this.send(toError(frame.id, (error as Error).message));
      controller.abort(error);
    }
  }
}

function toError(id: string, message: string): SentRecord {
  return { type: "host_model_error", id, message, retryable: false };
}

async function toFunction(model: AiSdkModel): Promise<ModelFunction> {
  const { answerWith } = await import("./ai-sdk/answer.ts");
  return (call) => answerWith(model, call);
}
