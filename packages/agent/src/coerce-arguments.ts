import { isTooDeep } from "@pikit/ai";

/** The keywords of JSON Schema that coercion reads. */
interface SchemaNode {
  type?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  properties?: Record<string, SchemaNode>;
  required?: string[];
  items?: SchemaNode | SchemaNode[];
}

/**
 * Corrects frequent type errors of models: `"5"` for 5, `"true"` for true, an array or object as JSON text, null for an optional field. A
 * value that fits the schema, or one arm of a union, stays unchanged. Other errors stay, and the validator reports them.
 *
 * @param value - Objects and arrays are changed in place, so pass a copy.
 */
export function coerceArguments(schema: object, value: unknown): unknown {
  return coerce(schema as SchemaNode, value);
}

function coerce(schema: SchemaNode, value: unknown): unknown {
  const arms = schema.anyOf ?? schema.oneOf;
  if (arms) return coerceUnion(arms, value);
  switch (schema.type) {
    case "number":
    case "integer":
      return typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value;
    case "string":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    case "array":
      return coerceArray(schema, parseAs("array", value));
    case "object":
      return coerceObject(schema, parseAs("object", value));
    default:
      return value;
  }
}

function coerceUnion(arms: SchemaNode[], value: unknown): unknown {
  const fitting = arms.find((arm) => fits(arm, value));
  if (fitting) return coerce(fitting, value);
  for (const arm of arms) {
    const mended = coerce(arm, value);
    if (mended !== value && fits(arm, mended)) return mended;
  }
  return value;
}

function coerceArray({ items }: SchemaNode, value: unknown): unknown {
  if (!Array.isArray(value) || !items || Array.isArray(items)) return value;
  for (const [index, item] of value.entries()) value[index] = coerce(items, item);
  return value;
}

function coerceObject({ properties = {}, required = [] }: SchemaNode, value: unknown): unknown {
  if (typeOf(value) !== "object") return value;
  const fields = value as Record<string, unknown>;
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(fields, name)) continue;
    if (fields[name] === null && !required.includes(name) && !fits(property, null)) delete fields[name];
    else fields[name] = coerce(property, fields[name]);
  }
  return value;
}

function parseAs(type: "array" | "object", value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeOf(parsed) === type && !isTooDeep(parsed) ? parsed : value;
  } catch {
    return value; // not JSON; the validator reports it
  }
}

/** Whether the value has the schema's type. Does not check its fields and items. */
function fits(schema: SchemaNode, value: unknown): boolean {
  const arms = schema.anyOf ?? schema.oneOf;
  if (arms) return arms.some((arm) => fits(arm, value));
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum) return schema.enum.includes(value);
  if (schema.type === undefined) return true;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const actual = typeOf(value);
  return types.includes(actual) || (types.includes("integer") && Number.isInteger(value));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
