import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * Bytes of heap and buffers that this process holds after a garbage collection. Without the collection, the value would depend on the
 * garbage collector.
 */
export async function heldBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  collect ??= runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round += 1) {
    // A finished turn of the event loop may still hold objects that were just released.
    await nextTurn();
    collect();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
