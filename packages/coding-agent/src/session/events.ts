import { type AgentEvent, type Listener, Listeners } from "@pikit/agent";
import type { HookSlot } from "../extensions/hooks.ts";
import type { SessionEvent } from "../protocol/events.ts";

/** Everything that a session tells its subscribers. */
export type AgentSessionEvent = AgentEvent | SessionEvent;

/** Delivers the events of a session: to its subscribers, then to its extensions, so that a slow extension delays no subscriber. */
export class SessionEvents {
  readonly #hooks: HookSlot;
  readonly #listeners = new Listeners<AgentSessionEvent>((error, event) => {
    console.error(`A listener of the session failed at ${event.type}:`, error);
  });
  #startedRuns = 0;
  #isSilent = false;

  constructor(hooks: HookSlot) {
    this.#hooks = hooks;
  }

  /** How many runs have begun so far. */
  get startedRuns(): number {
    return this.#startedRuns;
  }

  get hasSubscribers(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls `listener` with every event from now on. Returns the function that ends it. */
  subscribe(listener: Listener<AgentSessionEvent>): () => void {
    return this.#listeners.add(listener);
  }

  /** Delivers an event. A function of its own, so that parts can be given it. Never rejects. */
  readonly emit = (event: AgentSessionEvent): void | Promise<void> => {
    if (this.#isSilent) return;
    if (event.type === "agent_start") this.#startedRuns += 1;
    const told = this.#listeners.emit(event);
    return told === undefined ? this.#hooks.current?.observe?.(event) : this.#observeAfter(told, event);
  };

  /** Delivers no event from now on. */
  silence(): void {
    this.#isSilent = true;
  }

  /** A method of its own: a closure in `emit` would cost memory for each delta, even where it is not made. */
  #observeAfter(told: Promise<void>, event: AgentSessionEvent): Promise<void> {
    return told.then(() => this.#hooks.current?.observe?.(event));
  }
}
