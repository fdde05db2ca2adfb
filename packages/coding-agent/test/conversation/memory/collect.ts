import { setTimeout as wait } from "node:timers/promises";

/**
 * Lets the garbage be collected (needs --expose-gc) and counts what is left: bytes of heap and buffers. V8 frees buffers on another
 * thread and counts them until the next collection, so that two rounds are the least for a figure that is to be believed.
 */
export async function collect(rounds: number): Promise<number> {
  for (let round = 0; round < rounds; round += 1) {
    // What has just been let go of may be held by a finished turn of the event loop.
    // no race: who calls this does it until enough is gone.
    await wait(10);
    globalThis.gc?.();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
