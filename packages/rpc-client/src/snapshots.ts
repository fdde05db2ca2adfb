import type { DeltaUpdate } from "@pikit/coding-agent/protocol";
import { SnapshotBuilder } from "./protocol.ts";
import type { AssistantMessage, RpcEvent } from "./protocol-types.ts";

type MessageUpdate = Extract<RpcEvent, { type: "message_update" }>;

/**
 * Converts the events of deltas mode to those of snapshots mode: each update of an answer gets the complete message so far, and the
 * updates that deltas mode omits (`start`, `done`, `error`) are added. Events of snapshots mode pass unchanged.
 */
export class SnapshotRebuilder {
  /** Whether the agent sends the next answers as deltas, as it has reported. */
  isDeltas = false;
  readonly #emit: (event: RpcEvent) => void;
  #builder: SnapshotBuilder | undefined;
  /** Whether the current answer arrives as deltas. */
  #isBuiltOfDeltas = false;
  #isStartTold = false;

  constructor(emit: (event: RpcEvent) => void) {
    this.#emit = emit;
  }

  /** @throws {Error} For an event without the fields of its type, or an update without a started message. */
  read(event: RpcEvent | DeltaUpdate): void {
    if (event.type === "message_update") {
      this.#update(event);
      return;
    }
    if (event.type === "resync") this.#resume(event.message);
    if (event.type === "message_start" && event.message.role === "assistant") {
      this.#builder = new SnapshotBuilder(event.message);
      this.#isBuiltOfDeltas = this.isDeltas;
      this.#isStartTold = false;
    }
    if (event.type === "message_end" && event.message.role === "assistant") this.#end(event.message);
    this.#emit(event);
  }

  /** Continues an answer whose start was not received. */
  #resume(message: AssistantMessage | undefined): void {
    this.#builder = message && new SnapshotBuilder(message);
    this.#isBuiltOfDeltas = this.isDeltas;
    this.#isStartTold = message !== undefined && message.content.length > 0;
  }

  #update(event: MessageUpdate | DeltaUpdate): void {
    if ("message" in event) {
      this.#emit(event);
      // After a change of the mode, the rest of an answer may come as deltas.
      this.#builder = this.#builder && new SnapshotBuilder(event.message);
      return;
    }
    if (this.#builder === undefined) throw new Error("An update came without the start of its message.");
    this.#tellStart(this.#builder.message);
    this.#emit(this.#builder.apply(event));
  }

  #end(message: AssistantMessage): void {
    const builder = this.#builder;
    this.#builder = undefined;
    if (!this.#isBuiltOfDeltas || builder === undefined) return;
    const reason = message.stopReason;
    if (reason === "error" || reason === "aborted") {
      // An answer that failed before its first block never started, so it has no `start`.
      this.#emit(toUpdate(message, { type: "error", reason, error: message }));
    } else {
      this.#tellStart(builder.message);
      this.#emit(toUpdate(message, { type: "done", reason, message }));
    }
  }

  #tellStart(partial: AssistantMessage): void {
    if (this.#isStartTold) return;
    this.#isStartTold = true;
    this.#emit(toUpdate(partial, { type: "start", partial }));
  }
}

function toUpdate(message: AssistantMessage, assistantMessageEvent: MessageUpdate["assistantMessageEvent"]): MessageUpdate {
  return { type: "message_update", message, assistantMessageEvent };
}
