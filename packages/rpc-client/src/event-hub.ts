import type { Signal } from "./abort-signal.ts";
import { callSafely } from "./call-safely.ts";
import type { AgentProcessError } from "./errors.ts";
import { EventQueue } from "./event-queue.ts";
import type { EventName, RpcEvent } from "./protocol-types.ts";

/** Receives events in order. An error that it throws becomes an uncaught exception, like that of an `EventEmitter` listener. */
export type EventListener<N extends EventName = EventName> = (event: Extract<RpcEvent, { type: N }>) => void;

export interface EventsOptions {
  /** When more events than this wait for the reader, the client stops reading the agent's output. Default 1,000. */
  maxWaiting?: number;
  /** An abort ends the iteration without an error. */
  signal?: Signal;
}

const defaultMaxWaiting = 1_000;

/** Delivers every event to the listeners and iterators of the program. */
export class EventHub {
  readonly #listeners = new Set<{ listener: (event: RpcEvent) => void }>();
  readonly #queues = new Set<EventQueue<RpcEvent>>();
  readonly #onBehindChange: () => void;

  /** @param onBehindChange - Called when the value of `isBehind` may have changed. */
  constructor(onBehindChange: () => void) {
    this.#onBehindChange = onBehindChange;
  }

  /** Whether an iterator has more events waiting than it allows. */
  get isBehind(): boolean {
    for (const queue of this.#queues) if (queue.isFull) return true;
    return false;
  }

  emit(event: RpcEvent): void {
    for (const queue of this.#queues) queue.push(event);
    for (const entry of [...this.#listeners]) {
      if (this.#listeners.has(entry)) callSafely(() => entry.listener(event));
    }
  }

  /** Returns a function that ends the subscription. */
  listen(listener: (event: RpcEvent) => void): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** @param closedBy - The reason why there will be no events; undefined while the agent runs. */
  iterate(
    { maxWaiting = defaultMaxWaiting, signal }: EventsOptions,
    closedBy: AgentProcessError | undefined,
  ): EventQueue<RpcEvent> {
    const stop = () => void queue.return();
    const queue: EventQueue<RpcEvent> = new EventQueue({
      maxWaiting,
      onFullChange: this.#onBehindChange,
      onEnd: () => {
        signal?.removeEventListener("abort", stop);
        this.#queues.delete(queue);
      },
    });
    if (signal?.aborted) queue.end();
    else if (closedBy !== undefined) endQueue(queue, closedBy);
    else {
      this.#queues.add(queue);
      signal?.addEventListener("abort", stop);
    }
    return queue;
  }

  /** Ends the iterators because the process is gone. Listeners stay. */
  close(reason: AgentProcessError): void {
    for (const queue of [...this.#queues]) endQueue(queue, reason);
  }
}

function endQueue(queue: EventQueue<RpcEvent>, reason: AgentProcessError): void {
  queue.end(reason.code === "stopped" ? undefined : reason);
}
