import { type AgentEvent, type Listener, Listeners } from "@pikit/agent";
import type { HookSlot } from "../extensions/hooks.ts";
import type { SessionEvent } from "../protocol/events.ts";

/** All events of a session. */
export type AgentSessionEvent = AgentEvent | SessionEvent;

/** An event without the deltas, which are so many that each look at one costs. */
export type EventWithoutDelta = Exclude<AgentSessionEvent, { type: "message_update" }>;

interface EventObserver {
  event(event: EventWithoutDelta): void;
}

/** Delivers the events of a session: to its subscribers, then to its extensions, so that a slow extension delays no subscriber. */
export class SessionEvents {
  readonly #hooks: HookSlot;
  readonly #observer: EventObserver | undefined;
  readonly #listeners = new Listeners<AgentSessionEvent>((error, event) => {
    console.error(`A listener of the session failed at ${event.type}:`, error);
  });
  #startedRuns = 0;
  #isSilent = false;

  /** @param observer - Gets each event but `message_update` first. It must not throw. Default: none. */
  constructor(hooks: HookSlot, observer?: EventObserver) {
    this.#hooks = hooks;
    this.#observer = observer;
  }

  /** The number of runs that have started. */
  get startedRuns(): number {
    return this.#startedRuns;
  }

  get hasSubscribers(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls `listener` with every event from now on. Returns a function that removes the listener. */
  subscribe(listener: Listener<AgentSessionEvent>): () => void {
    return this.#listeners.add(listener);
  }

  /** Delivers an event. A property, not a method, so that it can be passed to parts. Never rejects. */
  readonly emit = (event: AgentSessionEvent): void | Promise<void> => {
    if (this.#isSilent) return;
    if (event.type === "agent_start") this.#startedRuns += 1;
    if (event.type !== "message_update") this.#observer?.event(event);
    const told = this.#listeners.emit(event);
    return told === undefined ? this.#hooks.current?.observe?.(event) : this.#observeAfter(told, event);
  };

  /** Delivers no event from now on. */
  silence(): void {
    this.#isSilent = true;
  }

  /** A separate method: a closure in `emit` would cost memory for each delta, even on paths that do not create it. */
  #observeAfter(told: Promise<void>, event: AgentSessionEvent): Promise<void> {
    return told.then(() => this.#hooks.current?.observe?.(event));
  }
}
