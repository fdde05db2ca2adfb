import type { AssistantMessage, AssistantMessageEvent } from "@pikit/ai";
import type { AgentLoopConfig } from "./types.ts";

/** Lets the owner of a run end an answer while it streams, without ending the run. */
export class AnswerWatch {
  readonly #watch: NonNullable<AgentLoopConfig["watchAnswer"]>;
  readonly #stop = new AbortController();
  #hookError: unknown;

  /** Aborted when the run is, or when the owner ends the answer. */
  readonly signal: AbortSignal;

  constructor(watch: NonNullable<AgentLoopConfig["watchAnswer"]>, signal: AbortSignal) {
    this.#watch = watch;
    this.signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /** Shows an event to the owner. Returns what to tell of: of an answer that was ended here, an end that says so. */
  see(event: AssistantMessageEvent): AssistantMessageEvent {
    const isStopped = this.#stop.signal.aborted;
    // All of the answer may have been waiting already when it was stopped: it is over, but nobody wants it.
    if (isStopped && event.type === "done") return this.#refuse(event.message);
    if (isStopped && event.type === "error") return this.#refuse(event.error);
    if (!isStopped) this.#show(event);
    return event;
  }

  #show(event: AssistantMessageEvent): void {
    try {
      if (this.#watch(event) === true) this.#stop.abort();
    } catch (error) {
      this.#hookError = error;
      this.#stop.abort();
    }
  }

  #refuse(message: AssistantMessage): AssistantMessageEvent {
    const reason = this.#hookError === undefined ? "aborted" : "error";
    message.stopReason = reason;
    message.errorMessage = this.#hookError === undefined ? "The answer was stopped." : describe(this.#hookError);
    return { type: "error", reason, error: message };
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
