/** The number of pieces of the input. */
const pieces = 8;
/** The whole input may cost this many times more than its pieces, for cache misses and growing tables. Quadratic work costs `pieces` times more. */
const tolerance = 4;
/** CPU milliseconds of noise: garbage collection, compilation, the resolution of the kernel's clock. */
const noiseMs = 50;

type Work = () => unknown;

/** CPU milliseconds that this thread has used. A clock would also count the work of other processes. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Asserts that work is linear: an input of `size` must cost about as much as eight inputs of an eighth of the size.
 *
 * @param prepare - Creates an input, which is not measured, and returns the work.
 * @throws {Error} If the large input costs more.
 */
export async function assertLinear(size: number, prepare: (size: number) => Work | Promise<Work>): Promise<void> {
  const cost = async (length: number, times: number) => {
    let sum = 0;
    for (let time = 0; time < times; time += 1) {
      const work = await prepare(length);
      const before = cpuMs();
      await work();
      sum += cpuMs() - before;
    }
    return sum;
  };
  // The least of two measures counts, because the first ones include compilation. A measure that cannot change the outcome is left out.
  const compiling = await cost(size / pieces, pieces);
  let long = await cost(size, 1);
  if (long <= noiseMs) return;
  const short = Math.min(compiling, await cost(size / pieces, pieces));
  const most = Math.max(tolerance * short, noiseMs);
  if (long <= most) return;
  long = Math.min(long, await cost(size, 1));
  if (long <= most) return;
  throw new Error(
    `${size} cost ${long} ms of CPU, ${pieces} times ${size / pieces} cost ${short} ms; expected ${most} ms at most.`,
  );
}

/** Measures, until `stop`, the longest CPU time between two turns of the event loop. */
export function watchEventLoop(): { stop(): { turns: number; longestCpuMs: number } } {
  let turns = 0;
  let longestCpuMs = 0;
  let last = cpuMs();
  let next = setImmediate(turn);
  function turn() {
    count();
    next = setImmediate(turn);
  }
  function count() {
    const now = cpuMs();
    longestCpuMs = Math.max(longestCpuMs, now - last);
    last = now;
    turns += 1;
  }
  return {
    stop() {
      clearImmediate(next);
      count();
      return { turns, longestCpuMs };
    },
  };
}

/** Counts turns of the event loop until it is disposed of. */
export function countTurns(): { readonly count: number } & Disposable {
  let count = 0;
  let next = setImmediate(turn);
  function turn() {
    count += 1;
    next = setImmediate(turn);
  }
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]: () => clearImmediate(next),
  };
}
