/** What one program took: one line of the table. */
export interface Measurement {
  name: string;
  unit: Unit;
  median: number;
  /** 10th percentile. */
  low: number;
  /** 90th percentile. */
  high: number;
  /** Name of the result that this one is compared with. Absent for what stands alone, such as the bare program itself. */
  base?: string;
  /** Median divided by that of `base`. */
  ratio?: number;
  /** The most that `ratio` may be (a budget). */
  limit?: number;
  /** The most that the median may be, in `unit` (a budget). */
  atMost?: number;
}

/** A program that could not be measured, and why. */
interface Failure {
  name: string;
  failure: string;
}

export type Result = Measurement | Failure;
export type Unit = "ms" | "µs" | "MB" | "kB" | "bytes" | "count";

/**
 * Sums up one series of measurements.
 *
 * @param base - What the median is divided by.
 * @param limit - The budget: a number is the most that the ratio to `base` may be, `atMost` the most that the median may be.
 */
export function summarize(
  name: string,
  unit: Unit,
  values: readonly number[],
  base?: Measurement,
  limit?: number | { atMost: number },
): Measurement {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (fraction: number): number => sorted[Math.round(fraction * (sorted.length - 1))] ?? Number.NaN;
  const median = at(0.5);
  return {
    name,
    unit,
    median,
    low: at(0.1),
    high: at(0.9),
    ...(base && { base: base.name, ratio: median / base.median }),
    ...(typeof limit === "number" ? { limit } : limit),
  };
}

/** Whether a result is over its budget. */
export function isOver(result: Result): boolean {
  if ("failure" in result) return false;
  const { median, atMost = Number.POSITIVE_INFINITY, ratio = 0, limit = Number.POSITIVE_INFINITY } = result;
  return median > atMost || ratio > limit;
}
