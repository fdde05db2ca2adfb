import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** How long the event loop of a process was late, in milliseconds. */
export interface Delay {
  p99: number;
  max: number;
  /** The most CPU time of the main thread between two timers of a millisecond: the delay on a machine that does nothing else. */
  cpu: number;
}

const resolutionMs = 1;
/** Before and behind what is measured. */
const settleMs = 50;

/** Watches the event loop of this process until the returned function is called. */
export async function watchLoop(): Promise<() => Promise<Delay>> {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  let cpu = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    cpu = Math.max(cpu, (user + system) / 1000);
    before = process.threadCpuUsage();
  };
  await wait(settleMs);
  histogram.enable();
  const timer = setInterval(look, resolutionMs);
  look();
  cpu = 0;
  return async () => {
    await wait(settleMs);
    clearInterval(timer);
    histogram.disable();
    return { p99: histogram.percentile(99) / 1e6 - resolutionMs, max: histogram.max / 1e6 - resolutionMs, cpu };
  };
}
