/** Calls a function regularly, as long as something on the screen changes with time. */
export class Ticker {
  readonly #options: TickerOptions;
  #interval: ReturnType<typeof setInterval> | undefined;

  constructor(options: TickerOptions) {
    this.#options = options;
  }

  /** Starts or stops, as `isMoving` says. Call it after each change. */
  update(): void {
    if (!this.#options.isMoving()) this.stop();
    else this.#interval ??= setInterval(() => this.#tick(), this.#options.everyMs);
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
  everyMs: number;
  /** Whether something changes with time. */
  isMoving(): boolean;
  onTick(): void;
}
