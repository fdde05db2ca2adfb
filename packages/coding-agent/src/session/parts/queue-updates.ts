import type { QueuedTexts } from "../../protocol/data.ts";

/** Characters of updates that each queued message adds to the credit. */
const paidByMessage = 1000;
/** Milliseconds after the last message until a delayed update is sent. */
const pauseMs = 50;
/** Maximum rate of delayed updates, in characters per millisecond. */
const charactersPerMs = 10_000;

/** The queued texts, and their number. */
export interface QueueView {
  readonly count: number;
  readonly texts: QueuedTexts;
}

/**
 * Sends updates when the queues change. Each update repeats all queued texts, so one update for each message would cost quadratic time.
 * A removal is sent at once, and so is an addition to short queues. Further additions in quick succession share one update, which is sent
 * after a pause.
 */
export class QueueUpdates {
  readonly #queues: QueueView;
  readonly #tell: (texts: QueuedTexts) => void;
  /** The number of queued messages at the last change. */
  #count = 0;
  /** The unused credit for updates, in characters. */
  #credit = 0;
  /** The size of the last update, in characters. */
  #lastCost = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queues: QueueView, tell: (texts: QueuedTexts) => void) {
    this.#queues = queues;
    this.#tell = tell;
  }

  /** Call it after each change, before any other event is emitted. */
  noteChange(): void {
    const added = this.#queues.count - this.#count;
    this.#count = this.#queues.count;
    this.#credit += Math.max(0, added) * paidByMessage;
    if (added <= 0 || this.#credit >= this.#lastCost) this.#update();
    else this.#updateLater();
  }

  /** Sends a delayed update now. */
  flush(): void {
    if (this.#timer !== undefined) this.#update();
  }

  #updateLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#update(), pauseMs + this.#lastCost / charactersPerMs);
    // Does not keep the process alive: the end of the session calls `flush`.
    this.#timer.unref();
  }

  #update(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { texts } = this.#queues;
    this.#credit = 0;
    this.#lastCost = costOf(texts.steering) + costOf(texts.followUp);
    this.#tell(texts);
  }
}

function costOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
