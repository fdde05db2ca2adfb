/** An object or array that is being written. `keys`: all keys of an object; `next`: the index of the next member. */
interface Level {
  value: object;
  keys: string[] | undefined;
  next: number;
}

/**
 * `JSON.stringify` for data of any depth: the built-in one fails for some thousand levels, such as the tree of a long session. It is slower,
 * so it is only the fallback. BigInts become strings, and circular references become the text `[circular]`. Has no imports, so that a client
 * can include it.
 *
 * @param around - The objects around `root`, for a part of a value.
 */
export function stringifyDeep(root: unknown, around: Iterable<object> = []): string {
  const parts: string[] = [];
  const levels: Level[] = [];
  const ancestors = new Set(around);
  const write = (member: unknown, key: string): void => {
    const value = plainValue(member, key);
    if (typeof value !== "object" || value === null) {
      parts.push(JSON.stringify(value) ?? "null");
    } else if (ancestors.has(value)) {
      parts.push('"[circular]"');
    } else {
      ancestors.add(value);
      levels.push({ value, keys: Array.isArray(value) ? undefined : keysOf(value), next: 0 });
      parts.push(Array.isArray(value) ? "[" : "{");
    }
  };
  write(root, "");
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { value, keys, next } = level;
    if (next === (keys ?? (value as unknown[])).length) {
      parts.push(keys ? "}" : "]");
      ancestors.delete(value);
      levels.pop();
      continue;
    }
    level.next += 1;
    if (next > 0) parts.push(",");
    const key = keys ? (keys[next] as string) : String(next);
    if (keys) parts.push(JSON.stringify(key), ":");
    write((value as Record<string, unknown>)[key], key);
  }
  return parts.join("");
}

function plainValue(value: unknown, key: string): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || !("toJSON" in value) || typeof value.toJSON !== "function") return value;
  return value.toJSON(key) as unknown;
}

/** The keys of the members that JSON can represent. */
function keysOf(value: object): string[] {
  return Object.keys(value).filter((key) => {
    const member = (value as Record<string, unknown>)[key];
    return member !== undefined && typeof member !== "function" && typeof member !== "symbol";
  });
}
