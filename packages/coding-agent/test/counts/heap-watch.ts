// Loaded into a process whose heap is watched, by --import, with --expose-gc: tells on stderr at each SIGUSR2 how much is in use, then
// collects garbage and tells it again. One line of JSON a signal.
import { writeSync } from "node:fs";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

export interface HeapSample {
  /** Bytes in use at the signal, garbage included. */
  used: number;
  /** Bytes in use after a collection. */
  kept: number;
  /** Collections so far that nobody asked for: what they freed is missing in `used`. */
  collections: number;
}

let collections = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { flags } = (entry as PerformanceEntry & { detail: { flags: number } }).detail;
    if ((flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) === 0) collections += 1;
  }
}).observe({ entryTypes: ["gc"] });

process.on("SIGUSR2", () => {
  const used = getHeapStatistics().used_heap_size;
  globalThis.gc?.();
  const sample: HeapSample = { used, kept: getHeapStatistics().used_heap_size, collections };
  writeSync(2, `${JSON.stringify(sample)}\n`);
});
