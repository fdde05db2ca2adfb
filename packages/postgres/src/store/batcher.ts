import { isTransient } from "../errors.ts";

export interface BatcherOptions<Item, Result> {
  /** Runs items together, and returns their results in the same order. */
  run(items: readonly Item[], deadline: number): Promise<readonly Result[]>;
  /** The size of an item, in any unit. Default: none has a size. */
  sizeOf?(item: Item): number;
  /** Maximum size of a batch of several items. A larger item is a batch of its own. Default: no limit. */
  maxSize?: number;
  /** Maximum number of items of a batch. */
  maxItems: number;
  /** Milliseconds that an item may take. */
  patienceMs: number;
  /** Whether an error concerns only one of the items. Then they are run one by one. Default: none does. */
  isOfOne?(error: unknown): boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  /** When to give up, in the milliseconds of `performance.now()`. */
  deadline: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Runs items that arrive while others are running together in the next batch, so that many small operations cost few round trips. When the
 * database was away, items that have time left are run again.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Runs the item with the next batch. Rejects with the error of the batch. */
  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, deadline: performance.now() + this.#options.patienceMs, resolve, reject });
    if (!this.#isRunning) void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    this.#isRunning = true;
    // Other callers of this turn of the event loop join the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#runBatch(this.#takeBatch());
    this.#isRunning = false;
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { sizeOf = () => 0, maxSize = Number.POSITIVE_INFINITY, maxItems } = this.#options;
    let size = 0;
    let count = 0;
    for (const { item } of this.#waiting) {
      size += sizeOf(item);
      if (count > 0 && (size > maxSize || count === maxItems)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const { run, isOfOne } = this.#options;
    const deadline = Math.min(...batch.map((each) => each.deadline));
    try {
      const results = await run(
        batch.map(({ item }) => item),
        deadline,
      );
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && isOfOne?.(error)) {
        for (const each of batch) await this.#runBatch([each]);
        return;
      }
      const again = isTransient(error) ? batch.filter((each) => each.deadline > deadline) : [];
      for (const each of batch) if (!again.includes(each)) each.reject(error);
      this.#waiting.unshift(...again);
    }
  }
}
