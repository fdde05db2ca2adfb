import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { bun } from "../../runtime.ts";

type Collect = (options?: object) => void;

let collect: Collect | undefined;

/** Collects all garbage and returns free memory to the system. Blocks the process: about 30 ms with a heap of 20 MB, and more with a larger one. */
export function collectGarbage(): void {
  if (bun) {
    bun.gc(true);
    return;
  }
  collect ??= findCollect();
  // Up to V8 11 (Node 20), a call with options collects only new objects.
  if (Number.parseInt(process.versions.v8, 10) < 12) collect();
  else collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** Returns V8's function `gc`, which only contexts have that are created with this flag. Creating the context takes 2 ms. */
function findCollect(): Collect {
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("gc") as Collect;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}

/** The bytes of the heap that are in use, with garbage. 0 on Bun, whose heap has no such bounds. */
export function usedHeapBytes(): number {
  return bun ? 0 : getHeapStatistics().used_heap_size;
}

/**
 * Sets flags that keep the heap of a process small that is never idle:
 *
 * - The space for new objects keeps its size. By default it doubles up to 32 MB or more, and a busy process never shrinks it.
 * - Functions are optimized by one compiler, not by two. The second one compiles hundreds of functions at once after 500 prompts, and the memory
 *   that it takes for that, 15 to 50 MB, does not return to the system.
 *
 * Neither costs measurable CPU time. Set flags only after the usual modules were loaded: V8 uses cached code only with the flags with which it
 * was made, so that later modules of Node take twice as long to load.
 */
export function boundNewSpace(): void {
  if (bun) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--no-maglev");
}

/**
 * Sets whether the garbage of old objects is collected when the heap has grown by half, not only when it has quadrupled. With a small heap this
 * costs 2 % of the CPU time; with a large heap, a third.
 */
export function boundOldSpace(isBounded: boolean): void {
  if (bun) return;
  setFlagsFromString(`--heap-growing-percent=${isBounded ? 50 : 0}`);
}
