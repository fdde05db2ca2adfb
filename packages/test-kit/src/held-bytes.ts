import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * Bytes of heap and buffers that this process holds when the garbage has been collected. What is read without that says how busy the
 * collector was.
 */
export async function heldBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  collect ??= runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round += 1) {
    // What has just been let go of may be held by a finished turn of the event loop.
    await nextTurn();
    collect();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
