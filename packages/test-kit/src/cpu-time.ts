/** Into how many pieces the input is divided. */
const pieces = 8;
/** How many times more the whole may cost than its pieces: caches miss, tables grow. What is quadratic costs `pieces` times more. */
const tolerance = 4;
/** CPU milliseconds that say nothing: a collection of garbage, code that is compiled, the step of the kernel's clock. */
const noiseMs = 50;

type Work = () => unknown;

/** Milliseconds of CPU that this thread has used. On a busy machine a clock counts what others do too. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Asserts that work on an input of `size` costs about as much as on eight inputs of an eighth of it.
 *
 * @param prepare - Makes an input, which does not count, and returns the work.
 * @throws {Error} If it costs more.
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
  const divided = [await cost(size / pieces, pieces)];
  const whole = [await cost(size, 1)];
  divided.push(await cost(size / pieces, pieces));
  whole.push(await cost(size, 1));
  const [short, long] = [Math.min(...divided), Math.min(...whole)];
  const most = Math.max(tolerance * short, noiseMs);
  if (long <= most) return;
  throw new Error(
    `${size} cost ${long} ms of CPU, ${pieces} times ${size / pieces} cost ${short} ms; expected ${most} ms at most.`,
  );
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
