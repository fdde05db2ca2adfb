import type { TSchema } from "@sinclair/typebox";
import { meantWord } from "../suggest.ts";

/** The parts of a JSON Schema that say which keys an object has. */
interface KeySchema {
  properties?: Record<string, KeySchema>;
  patternProperties?: Record<string, KeySchema>;
  items?: KeySchema;
}

/**
 * Finds keys that are not known and look like one that is. Other unknown keys are left alone: the files are shared with other programs
 * of the family.
 *
 * @param where - Begins each line.
 * @returns One line a key.
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
      // What is there already was not meant once more.
      const meant = meantWord(
        key,
        Object.keys(properties).filter((name) => !Object.hasOwn(value, name)),
      );
      if (meant !== undefined) yield { path: prefix + key, meant };
    }
  }
}
