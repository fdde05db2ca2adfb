import type { TSchema } from "@sinclair/typebox";
import type { Shape } from "../../protocol/shape.ts";

/**
 * Removes the optional fields that are null, at all depths: in the input of a client, null and absent are the same. Values that the schema
 * does not describe are kept.
 *
 * @returns A copy of a described object or array, otherwise the value itself.
 */
export function leaveOutNulls(schema: Shape | TSchema, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const arms = schema.anyOf as TSchema[] | undefined;
  if (arms) {
    const arm = arms.find((each) => isArmOf(each, value));
    return arm ? leaveOutNulls(arm, value) : value;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => leaveOutNulls(items, item)) : value;
  }
  const { properties, required = [] } = schema as { properties?: Record<string, TSchema>; required?: string[] };
  if (!properties) return value;
  const fields = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) return [[name, field]];
    if (field === null && !required.includes(name)) return [];
    return [[name, leaveOutNulls(property, field)]];
  });
  return Object.fromEntries(fields);
}

/** Whether the value matches an arm of a union: has the constants of the object schema, such as its `type`. */
function isArmOf({ type, properties, items }: TSchema, value: object): boolean {
  if (Array.isArray(value)) return items !== undefined;
  if (type !== "object") return false;
  const fields = value as Record<string, unknown>;
  return Object.entries((properties ?? {}) as Record<string, TSchema>).every(
    ([name, property]) => property.const === undefined || property.const === fields[name],
  );
}
