import type { AgentMessage } from "./types.ts";

/** The number of messages that leave a queue at a time. */
export type QueueMode = "one-at-a-time" | "all";

/** Messages that wait for their turn in a run, first in, first out. */
export class MessageQueue {
  mode: QueueMode;
  readonly #onChange: () => void;
  #messages: AgentMessage[] = [];

  /**
   * @param mode - Default `one-at-a-time`.
   * @param onChange - Called after each addition or removal.
   */
  constructor(mode: QueueMode = "one-at-a-time", onChange: () => void = () => {}) {
    this.mode = mode;
    this.#onChange = onChange;
  }

  get length(): number {
    return this.#messages.length;
  }

  /** The waiting messages, the next one first. */
  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  add(message: AgentMessage): void {
    this.#messages.push(message);
    this.#onChange();
  }

  /** Replaces the waiting messages. */
  replace(messages: readonly AgentMessage[]): void {
    if (this.#messages.length === 0 && messages.length === 0) return;
    this.#messages = [...messages];
    this.#onChange();
  }

  /** Removes and returns the first message, or all messages in mode `all`. */
  take(): AgentMessage[] {
    return this.#remove(this.mode === "all" ? this.#messages.length : 1);
  }

  /** Removes and returns all messages. */
  clear(): AgentMessage[] {
    return this.#remove(this.#messages.length);
  }

  #remove(count: number): AgentMessage[] {
    const removed = this.#messages.splice(0, count);
    if (removed.length > 0) this.#onChange();
    return removed;
  }
}
