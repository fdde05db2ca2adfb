import type { AgentMessage } from "./types.ts";

/** How many messages leave a queue at a time. */
export type QueueMode = "one-at-a-time" | "all";

/** Messages that wait for their moment in a run, first come first served. */
export class MessageQueue {
  mode: QueueMode;
  #messages: AgentMessage[] = [];

  /** @param mode - Default `one-at-a-time`. */
  constructor(mode: QueueMode = "one-at-a-time") {
    this.mode = mode;
  }

  get length(): number {
    return this.#messages.length;
  }

  /** What waits, first to go first. */
  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  add(message: AgentMessage): void {
    this.#messages.push(message);
  }

  /** Removes and returns what goes now: the first message, or all of them. */
  take(): AgentMessage[] {
    return this.#messages.splice(0, this.mode === "all" ? this.#messages.length : 1);
  }

  /** Removes and returns everything. */
  clear(): AgentMessage[] {
    return this.#messages.splice(0);
  }
}
