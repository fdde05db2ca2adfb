import { SettingsSchema } from "../../../config/settings.ts";

/** The parts of a JSON Schema that say how a setting is changed. */
interface SettingSchema {
  type?: string;
  description?: string;
  minimum?: number;
  anyOf?: readonly { const?: unknown }[];
  properties?: Record<string, SettingSchema>;
}

/** A setting that has one value. */
export interface Setting {
  /** The keys that lead to it, such as `["retry", "enabled"]`. */
  path: readonly string[];
  description: string;
  /** How it is changed: one of `choices`, a number, a text, or only in the file. */
  kind: "choice" | "number" | "text" | "file";
  choices: readonly (string | boolean)[];
  minimum: number | undefined;
}

/** All settings, in the order of the schema. */
export function listSettings(): Setting[] {
  return [...find(SettingsSchema as SettingSchema, [])];
}

function* find({ properties = {} }: SettingSchema, path: readonly string[]): Generator<Setting> {
  for (const [key, schema] of Object.entries(properties)) {
    const here = [...path, key];
    if (schema.properties) yield* find(schema, here);
    else yield { path: here, description: schema.description ?? "", ...kindOf(schema), minimum: schema.minimum };
  }
}

function kindOf({ type, anyOf }: SettingSchema): Pick<Setting, "kind" | "choices"> {
  const constants = (anyOf ?? []).flatMap((option) => (typeof option.const === "string" ? [option.const] : []));
  if (anyOf && constants.length === anyOf.length) return { kind: "choice", choices: constants };
  if (type === "boolean") return { kind: "choice", choices: [true, false] };
  if (type === "number") return { kind: "number", choices: [] };
  return { kind: type === "string" ? "text" : "file", choices: [] };
}

/** The value of a setting in the content of a file; undefined if it is not set. */
export function valueAt(content: unknown, path: readonly string[]): unknown {
  let value = content;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The content with another value of a setting; without the setting if `value` is undefined. */
export function withValue(
  content: Record<string, unknown>,
  [key, ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (key === undefined) return content;
  const { [key]: before, ...others } = content;
  const inner = typeof before === "object" && before !== null && !Array.isArray(before) ? (before as Record<string, unknown>) : {};
  const after = rest.length > 0 ? withValue(inner, rest, value) : value;
  const isEmpty = after === undefined || (rest.length > 0 && Object.keys(after as object).length === 0);
  if (isEmpty) return others;
  // A key that exists keeps its place.
  return Object.hasOwn(content, key) ? { ...content, [key]: after } : { ...others, [key]: after };
}
