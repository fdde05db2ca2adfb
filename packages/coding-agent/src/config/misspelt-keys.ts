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
 * @returns One line per key.
 */
export function describeMisspeltKeys(value: unknown, schema: TSchema, where: string): string[] {
  return [...find(value, schema as KeySchema, "")].map(
    ({ path, meant }) => `${where}: "${path}" is not known here and is ignored. Did you mean "${meant}"?`,
  );
}

function* find(
  value: unknown,
  { properties, patternProperties, items }: KeySchema,
  prefix: string,
): Generator<{ path: string; meant: string }> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (items) for (const [index, item] of value.entries()) yield* find(item, items, `${prefix}${index}.`);
    return;
  }
  const [anyKey] = Object.values(patternProperties ?? {});
  for (const [key, item] of Object.entries(value)) {
    const own = properties && Object.hasOwn(properties, key) ? properties[key] : anyKey;
    if (own) yield* find(item, own, `${prefix}${key}.`);
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
