/**
 * Maximum nesting of objects and arrays in data from outside; `{}` has one level. Real data has far less. The limit protects recursive
 * functions, in our code and in programs that read our output: common JSON parsers stop at 128.
 */
export const maxNesting = 100;

/** Whether a value has more than `levels` levels. True for circular values. */
export function isTooDeep(value: unknown, levels: number = maxNesting): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isTooDeep(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}

/** Replaces values below the last level. */
const leftOut = `[left out: it is nested more than ${maxNesting} levels deep]`;

/** Replaces everything below the last level with a text. Returns the same value if it is not too deep. */
export function cutDeep<T>(value: T, levels: number = maxNesting): T {
  return isTooDeep(value, levels) ? (cut(value, levels) as T) : value;
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return leftOut;
  if (Array.isArray(value)) return value.map((item) => cut(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, levels - 1)]));
}
