/** One line of the table. */
export interface Result {
  name: string;
  unit: "ms" | "MB";
  median: number;
  /** 10th percentile. */
  low: number;
  /** 90th percentile. */
  high: number;
  /** Median divided by that of the bare program in the same run; 1 for the bare program. */
  ratio: number;
  /** The most that the ratio may be (the budget). */
  limit?: number;
}

/** Sums up one series of measurements; `limit` is the budget of its ratio to `base`. */
export function summarize(name: string, unit: Result["unit"], values: readonly number[], base?: Result, limit?: number): Result {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (fraction: number): number => sorted[Math.round(fraction * (sorted.length - 1))] ?? Number.NaN;
  const median = at(0.5);
  const summary = { name, unit, median, low: at(0.1), high: at(0.9), ratio: base ? median / base.median : 1 };
  return limit === undefined ? summary : { ...summary, limit };
}
