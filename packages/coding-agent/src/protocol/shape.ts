import type { TSchema } from "@sinclair/typebox";

/**
 * A schema as plain data, without descriptions: what the check of a value needs. The build computes shapes and writes them as data
 * (`scripts/bundle/shapes.mjs`), so that a program checks common input without loading the schemas and TypeBox.
 */
export interface Shape {
  type?: "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";
  const?: string | number | boolean;
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  required?: string[];
  /** The shape of all values of a record. */
  patternProperties?: Record<string, Shape>;
  items?: Shape;
  minItems?: number;
  minimum?: number;
}

/** The pattern of a record whose keys may be any text. */
export const anyKey = "^(.*)$";

/**
 * Converts a schema to a shape.
 *
 * @throws {Error} For a schema with rules that a shape cannot express.
 */
export function toShape(schema: TSchema): Shape {
  const { description: _description, default: _default, type, const: only, minItems, minimum, ...rest } = schema;
  const { anyOf, properties, required, patternProperties, items, ...unknown } = rest;
  const patterns = Object.keys(patternProperties ?? {});
  const isKnown =
    Object.keys(unknown).length === 0 &&
    (type === undefined || ["array", "boolean", "integer", "null", "number", "object", "string"].includes(type)) &&
    patterns.every((pattern) => pattern === anyKey) &&
    (patterns.length === 0 || properties === undefined);
  if (!isKnown) throw new Error(`A shape cannot express the schema ${JSON.stringify(schema)}`);
  const shape = {
    ...{ type, const: only, minItems, minimum, required },
    ...{ anyOf: anyOf?.map(toShape), properties: mapValues(properties), patternProperties: mapValues(patternProperties) },
    items: items && toShape(items),
  };
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined));
}

function mapValues(schemas: Record<string, TSchema> | undefined): Record<string, Shape> | undefined {
  return schemas && Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toShape(schema)]));
}

/**
 * Does the same as `readFields` with the schema of the shape, for fields that fit.
 *
 * @returns The fields of the shape; undefined if one is invalid. `readFields` then reports which one.
 */
export function readShape(
  { properties = {}, required = [] }: Shape,
  record: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    const isRequired = required.includes(name);
    if (!isRequired && (value === undefined || value === null)) continue;
    if (value === undefined || !fits(property, value)) return undefined;
    fields[name] = value;
  }
  return fields;
}

function fits({ type, const: only, anyOf, minimum, ...shape }: Shape, value: unknown): boolean {
  if (anyOf) return anyOf.some((option) => fits(option, value));
  if (only !== undefined) return value === only;
  switch (type) {
    case undefined:
      return true;
    case "array":
      return Array.isArray(value) && fitsItems(shape, value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) && fitsObject(shape, value as Fields);
    case "number":
    case "integer":
      if (!(type === "number" ? Number.isFinite(value) : Number.isInteger(value))) return false;
      return minimum === undefined || (value as number) >= minimum;
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

type Fields = Record<string, unknown>;

function fitsItems({ items, minItems = 0 }: Shape, value: readonly unknown[]): boolean {
  return value.length >= minItems && (items === undefined || value.every((item) => fits(items, item)));
}

function fitsObject({ properties = {}, required = [], patternProperties = {} }: Shape, value: Fields): boolean {
  for (const [name, property] of Object.entries(properties)) {
    if (value[name] === undefined ? required.includes(name) : !fits(property, value[name])) return false;
  }
  const all = patternProperties[anyKey];
  // Dates and bytes are objects, but no records.
  return all === undefined || (!isDateOrBytes(value) && Object.values(value).every((item) => fits(all, item)));
}

function isDateOrBytes(value: object): boolean {
  return value instanceof Date || value instanceof Uint8Array;
}
