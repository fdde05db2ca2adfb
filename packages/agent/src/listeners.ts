/** Receives events in order. The emitter waits for a returned promise before it goes on; what is thrown is reported, not propagated. */
export type Listener<TEvent> = (event: TEvent) => void | Promise<void>;

/** Listeners that are called one after another, without a promise as long as none of them returns one. */
export class Listeners<TEvent> {
  /** Replaced, never changed, so that an emit in progress keeps the list it began with. */
  #list: readonly Listener<TEvent>[] = [];
  readonly #onError: (error: unknown, event: TEvent) => void;

  /** @param onError - Told when a listener throws or rejects; the other listeners are still called. */
  constructor(onError: (error: unknown, event: TEvent) => void) {
    this.#onError = onError;
  }

  /** How many listeners there are. */
  get size(): number {
    return this.#list.length;
  }

  /** Calls `listener` with every event from now on. Returns the function that ends it. */
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
      // What a listener in plain JavaScript returns may be anything.
      return result instanceof Promise ? this.#guard(result, event) : undefined;
    } catch (error) {
      this.#onError(error, event);
      return undefined;
    }
  }

  /** Apart, so that calls which return no promise make no closure: they are one for each listener and event. */
  #guard(result: Promise<void>, event: TEvent): Promise<void> {
    return result.catch((error: unknown) => this.#onError(error, event));
  }
}
