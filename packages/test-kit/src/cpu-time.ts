/** How many times longer the long input is. */
const factor = 8;
/** CPU milliseconds that say nothing: a collection of garbage, code that is compiled. */
const noiseMs = 50;

type Work = () => unknown;

/** Milliseconds of CPU that this thread has used. On a busy machine a clock counts what others do too. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Asserts that work on an input of `size` costs not much more than eight times as much as on an eighth of it; what is quadratic costs
 * 64 times as much.
 *
 * @param prepare - Makes the input, which does not count, and returns the work.
 * @throws {Error} If it costs more.
 */
export async function assertLinear(size: number, prepare: (size: number) => Work | Promise<Work>): Promise<void> {
  const cost = async (length: number) => {
    const work = await prepare(length);
    const before = cpuMs();
    await work();
    return cpuMs() - before;
  };
  const short = Math.min(await cost(size / factor), await cost(size / factor), await cost(size / factor));
  const long = Math.min(await cost(size), await cost(size));
  const most = Math.max(3 * factor * short, noiseMs);
  if (long > most)
    throw new Error(`${size} cost ${long} ms of CPU, ${size / factor} cost ${short} ms; expected ${most} ms at most.`);
}

/** Watches until `stop` for how long the event loop was kept busy without a turn. */
export function watchEventLoop(): { stop(): { turns: number; longestCpuMs: number } } {
  let turns = 0;
  let longestCpuMs = 0;
  let last = cpuMs();
  let next = setImmediate(turn);
  function turn() {
    const now = cpuMs();
    longestCpuMs = Math.max(longestCpuMs, now - last);
    last = now;
    turns += 1;
    next = setImmediate(turn);
  }
  return {
    stop() {
      turn();
      clearImmediate(next);
      return { turns, longestCpuMs };
    },
  };
}
