import type { QueuedTexts } from "../../protocol/data.ts";

/** Characters of updates that each message pays for that is queued. */
const paidByMessage = 1000;
/** Milliseconds without another message after which the queues are told of in any case. */
const pauseMs = 50;
/** Characters that may be told a millisecond by messages that come with pauses. */
const charactersPerMs = 10_000;

/** What is told of the queues, and how many messages wait in them. */
export interface QueueView {
  readonly count: number;
  readonly texts: QueuedTexts;
}

/**
 * Tells of the queues when they have changed. Each update repeats all texts that wait, so that an update a message would cost the square
 * of what was queued. A message that leaves is told at once, and so is one that comes while the queues are short; beyond that, those that
 * come one behind the other share an update, and the last of them is told when no more has come for a moment.
 */
export class QueueUpdates {
  readonly #queues: QueueView;
  readonly #tell: (texts: QueuedTexts) => void;
  /** How many messages waited when the queues changed last. */
  #count = 0;
  /** What messages have paid for and no update has used, in characters. */
  #credit = 0;
  /** Characters of the last update. */
  #lastCost = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queues: QueueView, tell: (texts: QueuedTexts) => void) {
    this.#queues = queues;
    this.#tell = tell;
  }

  /** To be called after each change, before anything else is told. */
  noteChange(): void {
    const added = this.#queues.count - this.#count;
    this.#count = this.#queues.count;
    this.#credit += Math.max(0, added) * paidByMessage;
    if (added <= 0 || this.#credit >= this.#lastCost) this.#update();
    else this.#updateLater();
  }

  /** Tells what has not been told yet. */
  flush(): void {
    if (this.#timer !== undefined) this.#update();
  }

  #updateLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#update(), pauseMs + this.#lastCost / charactersPerMs);
    // Whoever ends the session tells the rest.
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
