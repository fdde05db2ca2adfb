import type { Shape } from "../protocol/shape.ts";

/**
 * Finds unknown keys that look like a known one. Other unknown keys are ignored, because related programs use the same files.
 *
 * @param where - The beginning of each line.
 * @param others - Keys of related programs, such as `images` and `retry.provider`. They and the keys in them are not looked at.
 * @returns One line per key.
 */
export async function describeMisspeltKeys(
  value: unknown,
  shape: Shape,
  where: string,
  others: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const unknown = [...findUnknown(value, shape, "", others)];
  if (unknown.length === 0) return [];
  const { meantWord } = await import("../suggest.ts");
  return unknown.flatMap(({ prefix, key, words }) => {
    const meant = meantWord(key, words);
    return meant === undefined ? [] : `${where}: "${prefix}${key}" is not known here and is ignored. Did you mean "${meant}"?`;
  });
}

/** An unknown key: the path of its object, and the known keys that the object does not have. */
interface UnknownKey {
  prefix: string;
  key: string;
  words: string[];
}

function* findUnknown(
  value: unknown,
  { properties, patternProperties, items }: Shape,
  prefix: string,
  others: ReadonlySet<string>,
): Generator<UnknownKey> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (items) for (const [index, item] of value.entries()) yield* findUnknown(item, items, `${prefix}${index}.`, others);
    return;
  }
  const [anyKey] = Object.values(patternProperties ?? {});
  for (const [key, item] of Object.entries(value)) {
    if (others.has(prefix + key)) continue;
    const own = properties && Object.hasOwn(properties, key) ? properties[key] : anyKey;
    if (own) yield* findUnknown(item, own, `${prefix}${key}.`, others);
    // A key that already exists is not a candidate.
    else if (properties) yield { prefix, key, words: Object.keys(properties).filter((name) => !Object.hasOwn(value, name)) };
  }
}
