/** Milliseconds within which the second press of a key counts as the second one. */
const withinMs = 1500;

/** Notices when the same key is pressed twice in a row. */
export class DoublePress {
  #last: { name: string; timeMs: number } | undefined;

  /** Takes a press of a key. Returns whether it is the second one in a short time. */
  press(name: string, nowMs: number = performance.now()): boolean {
    const isSecond = this.#last?.name === name && nowMs - this.#last.timeMs <= withinMs;
    this.#last = isSecond ? undefined : { name, timeMs: nowMs };
    return isSecond;
  }

  /** Forgets the first press, because another key has come. */
  reset(): void {
    this.#last = undefined;
  }
}
