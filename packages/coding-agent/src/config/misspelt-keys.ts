import type { TSchema } from "@sinclair/typebox";
import { meantWord } from "../suggest.ts";

/** The parts of a JSON Schema that define the keys of an object. */
interface KeySchema {
  properties?: Record<string, KeySchema>;
  patternProperties?: Record<string, KeySchema>;
  items?: KeySchema;
}

/**
 * Finds unknown keys that look like a known one. Other unknown keys are ignored, because related programs use the same files.
 *
 * @param where - The beginning of each line.
 * @param others - Keys of related programs, such as `images` and `retry.provider`. They and the keys in them are not looked at.
 * @returns One line per key.
 */
export function describeMisspeltKeys(
  value: unknown,
  schema: TSchema,
  where: string,
  others: ReadonlySet<string> = new Set(),
): string[] {
  return [...find(value, schema as KeySchema, "", others)].map(
    ({ path, meant }) => `${where}: "${path}" is not known here and is ignored. Did you mean "${meant}"?`,
  );
}

function* find(
  value: unknown,
  { properties, patternProperties, items }: KeySchema,
  prefix: string,
  others: ReadonlySet<string>,
): Generator<{ path: string; meant: string }> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (items) for (const [index, item] of value.entries()) yield* find(item, items, `${prefix}${index}.`, others);
    return;
  }
  const [anyKey] = Object.values(patternProperties ?? {});
  for (const [key, item] of Object.entries(value)) {
    if (others.has(prefix + key)) continue;
    const own = properties && Object.hasOwn(properties, key) ? properties[key] : anyKey;
    if (own) yield* find(item, own, `${prefix}${key}.`, others);
    else if (properties) {
      // A key that already exists is not a candidate.
      const meant = meantWord(
        key,
        Object.keys(properties).filter((name) => !Object.hasOwn(value, name)),
      );
      if (meant !== undefined) yield { path: prefix + key, meant };
    }
  }
}
