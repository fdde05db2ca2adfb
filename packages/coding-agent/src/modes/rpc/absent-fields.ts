import type { TSchema } from "@sinclair/typebox";

/**
 * The value without the optional fields that are null, at every depth: in what a client sends, null and absent are the same. What the
 * schema does not describe is left as it is.
 *
 * @returns A copy where something was left out, else the value itself.
 */
export function leaveOutNulls(schema: TSchema, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const arms = schema.anyOf as TSchema[] | undefined;
  if (arms) {
    const arm = arms.find((each) => isMeantBy(each, value));
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

/** Whether the constants of an object schema, such as its `type`, are those of the value. */
function isMeantBy({ type, properties, items }: TSchema, value: object): boolean {
  if (Array.isArray(value)) return items !== undefined;
  if (type !== "object") return false;
  const fields = value as Record<string, unknown>;
  return Object.entries((properties ?? {}) as Record<string, TSchema>).every(
    ([name, property]) => property.const === undefined || property.const === fields[name],
  );
}
