/** Milliseconds from one frame to the next while an answer streams: 20 a second. */
const frameMs = 50;

/** Says when to draw: a key is answered with the next turn of the event loop; everything else is collected for a while. */
export class FrameClock {
  readonly #draw: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #immediate: ReturnType<typeof setImmediate> | undefined;
  #lastMs = 0;
  #isStopped = false;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Asks for a frame. `now`: with the next turn of the event loop. */
  request(now = false): void {
    if (this.#isStopped || this.#immediate !== undefined) return;
    if (now) {
      this.#immediate = setImmediate(() => this.#run());
      return;
    }
    const sinceMs = performance.now() - this.#lastMs;
    this.#timer ??= setTimeout(() => this.#run(), Math.max(0, frameMs - sinceMs));
  }

  /** Draws a requested frame at once. */
  flush(): void {
    if (this.#timer !== undefined || this.#immediate !== undefined) this.#run();
  }

  /** Draws no more. */
  stop(): void {
    this.#isStopped = true;
    this.#clear();
  }

  #run(): void {
    this.#clear();
    this.#draw();
    this.#lastMs = performance.now();
  }

  #clear(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
  }
}
