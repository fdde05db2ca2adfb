/** Calls a function regularly, as long as something on the screen changes with time. */
export class Ticker {
  readonly #options: TickerOptions;
  #interval: ReturnType<typeof setInterval> | undefined;
  #everyMs = 0;

  constructor(options: TickerOptions) {
    this.#options = options;
  }

  /** Starts or stops, as `isMoving` says. Call it after each change. */
  update(): void {
    const everyMs = this.#options.everyMs();
    if (!this.#options.isMoving() || everyMs !== this.#everyMs) this.stop();
    if (!this.#options.isMoving() || this.#interval) return;
    this.#everyMs = everyMs;
    this.#interval = setInterval(() => this.#tick(), everyMs);
  }

  stop(): void {
    clearInterval(this.#interval);
    this.#interval = undefined;
  }

  #tick(): void {
    this.#options.onTick();
    this.update();
  }
}

export interface TickerOptions {
  /** Milliseconds. */
  everyMs(): number;
  /** Whether something changes with time. */
  isMoving(): boolean;
  onTick(): void;
}
