/** Receives events in order. The emitter awaits a returned promise. Errors are reported to `onError`, not propagated. */
export type Listener<TEvent> = (event: TEvent) => void | Promise<void>;

/** Calls listeners one after another. `emit` is synchronous if no listener returns a promise. */
export class Listeners<TEvent> {
  /** Replaced, never changed, so that an `emit` in progress keeps its list. */
  #list: readonly Listener<TEvent>[] = [];
  readonly #onError: (error: unknown, event: TEvent) => void;

  /** @param onError - Called when a listener throws or rejects; the other listeners are still called. */
  constructor(onError: (error: unknown, event: TEvent) => void) {
    this.#onError = onError;
  }

  /** The number of listeners. */
  get size(): number {
    return this.#list.length;
  }

  /** Calls `listener` with every event from now on. Returns a function that ends the subscription. */
  add(listener: Listener<TEvent>): () => void {
    this.#list = [...this.#list, listener];
    return () => {
      this.#list = this.#list.filter((other) => other !== listener);
    };
  }

  /** Never throws or rejects. */
  emit(event: TEvent): void | Promise<void> {
    const list = this.#list;
    for (let index = 0; index < list.length; index += 1) {
      const wait = this.#call(list[index], event);
      if (wait !== undefined) return this.#emitRest(list, index + 1, event, wait);
    }
  }

  async #emitRest(list: readonly Listener<TEvent>[], from: number, event: TEvent, wait: Promise<void>): Promise<void> {
    await wait;
    for (let index = from; index < list.length; index += 1) await this.#call(list[index], event);
  }

  #call(listener: Listener<TEvent> | undefined, event: TEvent): Promise<void> | undefined {
    try {
      const result: unknown = listener?.(event);
      // `unknown`, because a listener in plain JavaScript may return anything.
      return result instanceof Promise ? this.#guard(result, event) : undefined;
    } catch (error) {
      this.#onError(error, event);
      return undefined;
    }
  }

  /** A separate method, so that calls without a promise create no closure: there is one call per listener and event. */
  #guard(result: Promise<void>, event: TEvent): Promise<void> {
    return result.catch((error: unknown) => this.#onError(error, event));
  }
}
