import { checkImage } from "@pikit/ai";
import type { TSchema } from "@sinclair/typebox";
import { Errors, type ValueError } from "@sinclair/typebox/errors";
import { Check } from "@sinclair/typebox/value";
import { type ChatParams, type Params, type RequestName, requests } from "./protocol.ts";

/** Fields that are or contain an API key; error messages do not quote their values. */
const secretPaths: ReadonlySet<string> = new Set(["", "/config", "/config/api_key"]);
const quotedLength = 80;

/** The parameters of a request are invalid; the message names the field. */
export class BadRequestError extends Error {
  override readonly name = "BadRequestError";
}

/**
 * Checks the parameters of a request. Unknown fields are ignored, and null in an optional field counts as absent.
 *
 * @param params - The value from the client; undefined counts as an object without fields.
 * @throws {BadRequestError} For invalid parameters; the message names the field, the expected and the received value.
 */
export function readParams<N extends RequestName>(name: N, params: unknown): Params<N> {
  const schema = requests[name];
  const known = keepKnown(schema, params ?? {});
  if (Check(schema, known)) {
    requireImages(known as Partial<ChatParams>);
    return known as Params<N>;
  }
  const error = Errors(schema, known).First();
  throw new BadRequestError(error ? describe(error) : 'Field "params" does not have the expected fields.');
}

function requireImages({ images = [] }: Pick<ChatParams, "images">): void {
  for (const [index, { media_type: mimeType, data_base64: data }] of images.entries()) {
    const found = checkImage({ type: "image", mimeType, data });
    if ("image" in found) continue;
    throw new BadRequestError(`Field "params.images.${index}.data_base64" must be an image in base64, but ${found.problem}.`);
  }
}

/** Copies the fields that are in the schema, at all depths of the schema. A value of a wrong type is kept for the check. */
function keepKnown(schema: TSchema, value: unknown): unknown {
  if (schema.type === "array" && Array.isArray(value)) return value.map((item) => keepKnown(schema.items as TSchema, item));
  if (schema.type !== "object" || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const required = new Set<string>(schema.required ?? []);
  const kept: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties as Record<string, TSchema>)) {
    const field = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (field === undefined || (field === null && !required.has(name))) continue;
    kept[name] = keepKnown(property, field);
  }
  return kept;
}

function describe({ path, schema, value }: ValueError): string {
  const received = value === undefined ? "is missing" : secretPaths.has(path) ? "is something else" : `is ${quote(value)}`;
  return `Field "params${path.replaceAll("/", ".")}" must be ${expectation(schema)}, but ${received}.`;
}

function expectation(schema: TSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((option: TSchema) => expectation(option)).join(" or ");
  const { type, minimum, maxItems, maxLength, minLength, pattern } = schema;
  if (type === "integer") return `an integer of at least ${minimum}`;
  if (type === "object") return "an object";
  if (type === "array") return maxItems === undefined ? "an array" : `an array of at most ${maxItems} items`;
  if (pattern !== undefined) return pattern.includes("://") ? "an http or https URL" : "base64 text";
  if (maxLength !== undefined) return `a string of at most ${maxLength} characters`;
  return minLength === undefined ? `a ${type}` : "a string that is not empty";
}

function quote(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  // Not quoted: JSON.stringify fails for very deep data.
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? value.slice(0, quotedLength) : value;
  return `${JSON.stringify(text)}${text === value ? "" : "…"}`;
}
