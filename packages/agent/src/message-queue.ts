import type { AgentMessage } from "./types.ts";

/** How many messages leave a queue at a time. */
export type QueueMode = "one-at-a-time" | "all";

/** Messages that wait for their moment in a run, first come first served. */
export class MessageQueue {
  mode: QueueMode;
  readonly #onChange: () => void;
  #messages: AgentMessage[] = [];

  /**
   * @param mode - Default `one-at-a-time`.
   * @param onChange - Called after messages were added or removed.
   */
  constructor(mode: QueueMode = "one-at-a-time", onChange: () => void = () => {}) {
    this.mode = mode;
    this.#onChange = onChange;
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
    this.#onChange();
  }

  /** Puts these messages in the place of those that wait. */
  replace(messages: readonly AgentMessage[]): void {
    if (this.#messages.length === 0 && messages.length === 0) return;
    this.#messages = [...messages];
    this.#onChange();
  }

  /** Removes and returns what goes now: the first message, or all of them. */
  take(): AgentMessage[] {
    return this.#remove(this.mode === "all" ? this.#messages.length : 1);
  }

  /** Removes and returns everything. */
  clear(): AgentMessage[] {
    return this.#remove(this.#messages.length);
  }

  #remove(count: number): AgentMessage[] {
    const removed = this.#messages.splice(0, count);
    if (removed.length > 0) this.#onChange();
    return removed;
  }
}
