import { performance } from "node:perf_hooks";
import { hasWork, type WorkListener } from "../../process-work.ts";
import { boundNewSpace, boundOldSpace, collectGarbage, usedHeapBytes } from "./v8-heap.ts";

/** The growth of resident memory in bytes that is worth the pause of a collection; of a large process, a fraction of its size. */
const minGrowth = 24e6;
const minGrowthFraction = 0.25;
/** How long nothing must happen before a collection: twenty times its pause or more, so that hardly any command comes during it. */
const minQuietMs = 1000;
const quietMsPerMegabyte = 20;
/** Maximum milliseconds of work of the event loop in that time. */
const maxActiveMs = 5;

/** Old objects are bounded in a heap up to this size. Between the two, nothing changes. */
const smallHeap = 48e6;
const largeHeap = 64e6;
const lookEveryMs = 1000;

/** The process, as the keeper sees it. */
export interface KeptProcess {
  /** Bytes. */
  residentBytes(): number;
  usedHeapBytes(): number;
  /** Milliseconds that the event loop has worked so far. */
  activeMs(): number;
  hasWork(): boolean;
  collectGarbage(): void;
  boundOldSpace(isBounded: boolean): void;
}

/**
 * Keeps the memory of a process small. It collects garbage when the process has grown and nothing has happened for a while; so a host that sends
 * one command after the other never waits for a collection. For such a host, the growth of a small heap is bounded.
 */
export class MemoryKeeper implements WorkListener {
  readonly #process: KeptProcess;
  #quiet: NodeJS.Timeout | undefined;
  #looks: NodeJS.Timeout | undefined;
  #isBounded: boolean | undefined;
  /** Resident bytes after the last collection, or the least since then. */
  #base: number;

  constructor(kept: KeptProcess) {
    this.#process = kept;
    this.#base = kept.residentBytes();
  }

  onBusy(): void {
    this.#looks = setInterval(() => this.#look(), lookEveryMs);
    this.#looks.unref();
  }

  onIdle(): void {
    clearInterval(this.#looks);
    this.#look();
    if (this.#quiet === undefined && this.#hasGrown()) this.#waitForQuiet();
  }

  /** Bounds a small heap, and only that. */
  #look(): void {
    const used = this.#process.usedHeapBytes();
    const isBounded = used < smallHeap || (used < largeHeap && this.#isBounded === true);
    if (isBounded === this.#isBounded) return;
    this.#isBounded = isBounded;
    this.#process.boundOldSpace(isBounded);
  }

  #hasGrown(): boolean {
    const resident = this.#process.residentBytes();
    this.#base = Math.min(this.#base, resident);
    return resident - this.#base > Math.max(minGrowth, this.#base * minGrowthFraction);
  }

  #waitForQuiet(): void {
    const activeBefore = this.#process.activeMs();
    const quietMs = Math.max(minQuietMs, (this.#process.residentBytes() / 1e6) * quietMsPerMegabyte);
    // Input that came meanwhile is read in the turn of the event loop between the two.
    const after = () =>
      setImmediate(() => {
        this.#quiet = undefined;
        if (this.#process.hasWork()) return; // `onIdle` follows
        if (this.#process.activeMs() - activeBefore > maxActiveMs) this.#waitForQuiet();
        else this.#collect();
      });
    this.#quiet = setTimeout(after, quietMs);
    this.#quiet.unref();
  }

  #collect(): void {
    if (!this.#hasGrown()) return;
    this.#process.collectGarbage();
    this.#base = this.#process.residentBytes();
  }
}

/** Creates the keeper of this process, and bounds its space for new objects. */
export function createMemoryKeeper(): MemoryKeeper {
  boundNewSpace();
  return new MemoryKeeper({
    ...{ hasWork, usedHeapBytes, collectGarbage, boundOldSpace },
    residentBytes: () => process.memoryUsage.rss(),
    // Bun does not count it.
    activeMs: () => performance.eventLoopUtilization?.().active ?? 0,
  });
}
