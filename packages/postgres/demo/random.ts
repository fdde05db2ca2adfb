/** Random numbers that are the same for the same seed. */
export interface Random {
  /** From `least` to `most`, both included. */
  integer(least: number, most: number): number;
  /** One of the items; undefined if there is none. */
  pick<T>(items: readonly T[]): T | undefined;
}

/** The generator "mulberry32": short, and good enough for choosing instants. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return { integer, pick: (items) => items[integer(0, items.length - 1)] };
}
