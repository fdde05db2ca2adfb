import { checkImage } from "@pikit/ai";
import type { TSchema } from "@sinclair/typebox";
import { Errors, type ValueError } from "@sinclair/typebox/errors";
import { Check } from "@sinclair/typebox/value";
import { type ChatParams, type Params, type RequestName, requests } from "./protocol.ts";

/** Places that hold a key, or hold what holds one: what was received there is not quoted. */
const secretPaths: ReadonlySet<string> = new Set(["", "/config", "/config/api_key"]);
const quotedLength = 80;

/** The parameters of a request cannot be used; the message names the field. */
export class BadRequestError extends Error {
  override readonly name = "BadRequestError";
}

/**
 * Checks the parameters of a request. Unknown fields are ignored, and an optional field that is null counts as absent.
 *
 * @param params - What the client sent; absent means no fields.
 * @throws {BadRequestError} Naming the field, what was expected, and what was received.
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

/** A copy with the fields that the schema knows, as deep as the schema goes. What is no object where one is expected stays. */
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
  // Not written out: nested data may be deeper than JSON can be written.
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? value.slice(0, quotedLength) : value;
  return `${JSON.stringify(text)}${text === value ? "" : "…"}`;
}
