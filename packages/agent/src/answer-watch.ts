import type { AssistantMessage, AssistantMessageEvent } from "@pikit/ai";
import type { AgentLoopConfig } from "./types.ts";

/** Lets the `watchAnswer` hook end an answer while it streams, without ending the run. */
export class AnswerWatch {
  readonly #watch: NonNullable<AgentLoopConfig["watchAnswer"]>;
  readonly #stop = new AbortController();
  #hookError: unknown;

  /** Aborted when the run is aborted, or when the hook ends the answer. */
  readonly signal: AbortSignal;

  constructor(watch: NonNullable<AgentLoopConfig["watchAnswer"]>, signal: AbortSignal) {
    this.#watch = watch;
    this.signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /** Passes an event to the hook. Returns the event to emit; the last event of an answer that the hook ended is an error. */
  see(event: AssistantMessageEvent): AssistantMessageEvent {
    const isStopped = this.#stop.signal.aborted;
    // The complete answer may have arrived before it was stopped; it counts as stopped all the same.
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
