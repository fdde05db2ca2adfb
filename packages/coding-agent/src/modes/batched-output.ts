import type { ByteSink } from "./output-sink.ts";

/** The length of one write, in characters; one item may exceed it. */
const batchLength = 64 * 1024;

export interface BatchedOutputOptions<Item> {
  /** Encodes an item as whole lines. */
  encode(item: Item): string;
  /** One item for two consecutive ones in the queue of a slow reader; undefined if they must stay apart. */
  join(last: Item, next: Item): Item | undefined;
}

/**
 * Writes items in their order, and no sender waits for it. While the reader is slow, items in the queue are joined, so that the queue is not
 * longer than their texts.
 */
export class BatchedOutput<Item> {
  readonly #sink: ByteSink;
  readonly #options: BatchedOutputOptions<Item>;
  #queue: Item[] = [];
  #isFlushing = false;
  #isReaderSlow = false;
  #idle = Promise.withResolvers<void>();

  constructor(sink: ByteSink, options: BatchedOutputOptions<Item>) {
    this.#sink = sink;
    this.#options = options;
  }

  /** Sends an item. It must not change afterwards. */
  send(item: Item): void {
    const last = this.#queue.length - 1;
    const joined = this.#isReaderSlow && last >= 0 ? this.#options.join(this.#queue[last] as Item, item) : undefined;
    if (joined === undefined) this.#queue.push(item);
    else this.#queue[last] = joined;
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#idle = Promise.withResolvers();
    // All items of this turn of the event loop go out in one write.
    setImmediate(() => void this.#flushAll());
  }

  /** Resolves when everything sent so far is written, or cannot be written any more. */
  flush(): Promise<void> {
    return this.#isFlushing ? this.#idle.promise : Promise.resolve();
  }

  async #flushAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const wait = this.#writeBatch();
      this.#isReaderSlow = wait !== undefined;
      if (wait !== undefined) await wait;
    }
    this.#isFlushing = false;
    this.#isReaderSlow = false;
    this.#idle.resolve();
  }

  #writeBatch(): Promise<void> | undefined {
    let batch = "";
    let count = 0;
    while (count < this.#queue.length && batch.length < batchLength) {
      batch += this.#options.encode(this.#queue[count] as Item);
      count += 1;
    }
    // One copy per batch: `shift` would move the rest for each item.
    this.#queue = this.#queue.slice(count);
    return this.#sink.write(batch);
  }
}
