/**
 * Most levels of objects and lists, one inside the other, that data from outside may have: `{}` has one. Far more than anybody writes, and
 * few enough that every function that follows data down gets to its end, ours and those of programs that read our output: common parsers
 * of JSON stop at 128.
 */
export const maxNesting = 100;

/** Whether a value has more levels than it may have. A value that holds itself has. */
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

/** What stands for what is left out. */
const leftOut = `[left out: it is nested more than ${maxNesting} levels deep]`;

/** A value without what is deeper than it may be; a text stands for that. One that is not too deep is returned as it is. */
export function cutDeep<T>(value: T, levels: number = maxNesting): T {
  return isTooDeep(value, levels) ? (cut(value, levels) as T) : value;
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return leftOut;
  if (Array.isArray(value)) return value.map((item) => cut(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, levels - 1)]));
}
