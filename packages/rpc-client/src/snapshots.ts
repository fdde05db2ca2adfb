import type { DeltaUpdate } from "@pikit/coding-agent/protocol";
import { SnapshotBuilder } from "./protocol.ts";
import type { AssistantMessage, RpcEvent } from "./protocol-types.ts";

type MessageUpdate = Extract<RpcEvent, { type: "message_update" }>;

/**
 * Turns the events of deltas mode into those of snapshots mode: each update of an answer carries the whole message so far, and the
 * updates that deltas mode leaves out (`start`, `done`, `error`) are put back. Events of snapshots mode pass unchanged.
 */
export class SnapshotRebuilder {
  /** Whether the agent sends deltas: it said so. */
  isDeltas = false;
  readonly #emit: (event: RpcEvent) => void;
  #builder: SnapshotBuilder | undefined;

  constructor(emit: (event: RpcEvent) => void) {
    this.#emit = emit;
  }

  /** @throws {Error} For an event that does not have the fields of its type, or an update of no message. */
  read(event: RpcEvent | DeltaUpdate): void {
    if (event.type === "message_start") this.#start(event);
    else if (event.type === "message_update") this.#update(event);
    else if (event.type === "message_end") this.#end(event);
    else this.#emit(event);
  }

  #start(event: Extract<RpcEvent, { type: "message_start" }>): void {
    const { message } = event;
    const isAnswer = message.role === "assistant";
    this.#emit(event);
    if (!isAnswer) return;
    this.#builder = new SnapshotBuilder(message);
    // A request that failed before its answer began has no `start`.
    if (this.isDeltas && !hasFailed(message)) this.#emit(update(message, { type: "start", partial: message }));
  }

  #update(event: MessageUpdate | DeltaUpdate): void {
    if ("message" in event) this.#emit(event);
    else if (this.#builder !== undefined) this.#emit(this.#builder.apply(event));
    else throw new Error("An update came without the start of its message.");
  }

  #end(event: Extract<RpcEvent, { type: "message_end" }>): void {
    const { message } = event;
    if (message.role === "assistant") {
      this.#builder = undefined;
      if (this.isDeltas) this.#emit(update(message, closing(message)));
    }
    this.#emit(event);
  }
}

function update(message: AssistantMessage, assistantMessageEvent: MessageUpdate["assistantMessageEvent"]): MessageUpdate {
  return { type: "message_update", message, assistantMessageEvent };
}

function closing(message: AssistantMessage): MessageUpdate["assistantMessageEvent"] {
  const reason = message.stopReason;
  if (reason === "error" || reason === "aborted") return { type: "error", reason, error: message };
  return { type: "done", reason, message };
}

function hasFailed(message: AssistantMessage): boolean {
  return message.stopReason === "error" || message.stopReason === "aborted";
}
