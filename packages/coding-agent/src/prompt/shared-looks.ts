/** A look that is under way. */
interface Look<T> {
  result: Promise<T>;
  /** The one that begins when it has ended, for the callers that have come since it began. */
  next?: Promise<T>;
}

/**
 * Looks at files which callers that ask for the same at the same time share. A caller never gets the result of a look that began before its
 * call, so it sees every change before that.
 */
export class SharedLooks<T> {
  readonly #running = new Map<string, Look<T>>();

  /**
   * Looks at once if no look with this key is under way. Otherwise, shares the next one with all others that wait for it.
   *
   * @param key - Says all that the result depends on.
   */
  look(key: string, read: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#begin(key, read);
    const begin = () => this.#begin(key, read);
    running.next ??= running.result.then(begin, begin);
    return running.next;
  }

  #begin(key: string, read: () => Promise<T>): Promise<T> {
    const look: Look<T> = { result: read() };
    this.#running.set(key, look);
    const end = () => {
      if (look.next === undefined) this.#running.delete(key);
    };
    look.result.then(end, end);
    return look.result;
  }
}
