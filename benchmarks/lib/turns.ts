import { type Measurement, type Result, summarize, type Unit } from "./statistics.ts";

/** Something that takes turns with others. */
export interface Program<T> {
  /** One measurement. */
  run: () => Promise<T>;
  /** It takes no further turn once it has failed; a failure of any other program ends the benchmark. Default false. */
  mayFail?: boolean;
}

/** What one program gave in all rounds, or why it gave nothing. */
export type Series<T> = { values: T[] } | { failure: string };

/**
 * Lets programs take turns, one each a round, so that a busy moment of the machine hits all of them.
 *
 * @param rounds - that count. `warmUps` (default 3) come first: they fill the compile cache and the page cache.
 */
export async function takeTurns<T>(
  rounds: number,
  programs: ReadonlyMap<string, Program<T>>,
  warmUps = 3,
): Promise<ReadonlyMap<string, Series<T>>> {
  const all = new Map<string, Series<T>>([...programs.keys()].map((name) => [name, { values: [] }]));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [name, { run, mayFail }] of programs) {
      const series = all.get(name);
      if (series === undefined || "failure" in series) continue;
      try {
        const value = await run();
        if (round >= 0) series.values.push(value);
      } catch (error) {
        const failure = error instanceof Error ? error.message : String(error);
        if (!mayFail) throw new Error(`${name}: ${failure}`, { cause: error });
        all.set(name, { failure });
      }
    }
  }
  return all;
}

/** The values of a program that did not fail. */
export function valuesOf<T>(all: ReadonlyMap<string, Series<T>>, name: string): T[] {
  const series = all.get(name);
  if (series === undefined || "failure" in series) throw new Error(`There are no measurements of "${name}".`);
  return series.values;
}

/** Sums up one number of each measurement of a program; `base` and `limit` are those of `summarize`. */
export function summarizeSeries<T>(
  all: ReadonlyMap<string, Series<T>>,
  name: string,
  { title = name, unit, pick, base, limit }: SeriesView<T>,
): Result {
  const series = all.get(name);
  if (series && "failure" in series) return { name, failure: series.failure };
  return summarize(title, unit, valuesOf(all, name).map(pick), base, limit);
}

export interface SeriesView<T> {
  /** Default: the name of the program. */
  title?: string;
  unit: Unit;
  pick: (value: T) => number;
  base?: Measurement;
  limit?: number | { atMost: number } | undefined;
}
