import type { TObject, TSchema } from "@sinclair/typebox";
import { Errors, type ValueError } from "@sinclair/typebox/errors";
import { Check } from "@sinclair/typebox/value";

/**
 * Checks the fields of an incoming record. Unknown fields are ignored; an optional field that is null counts as absent.
 *
 * @returns The fields of the schema.
 * @throws {Error} For an invalid field; the message names the field, the expected type and the received value.
 */
export async function readFields(schema: TObject, record: Record<string, unknown>): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  const required = new Set(schema.required ?? []);
  for (const name of Object.keys(schema.properties)) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (value === undefined || (value === null && !required.has(name))) continue;
    fields[name] = value;
  }
  if (Check(schema, fields)) return fields;
  const error = Errors(schema, fields).First();
  throw new Error(error ? describeMismatch(error) : "The fields do not have the expected types");
}

/** Describes a mismatch in one sentence, with at most the beginning of the value. */
export function describeMismatch({ path, schema, value }: ValueError): string {
  const field = path.slice(1).replaceAll("/", ".") || "record";
  return `Field "${field}" must be ${expectation(schema)}, but is ${quote(value)}`;
}

function expectation(schema: TSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((option: TSchema) => expectation(option)).join(" or ");
  const type = String(schema.type ?? "another value");
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function quote(value: unknown): string {
  if (value === undefined) return "missing";
  let text: string;
  try {
    text = JSON.stringify(typeof value === "string" ? value.slice(0, quotedLength) : value) ?? String(value);
  } catch {
    return "nested very deep"; // JSON.stringify fails at some thousand levels
  }
  return text.length > quotedLength ? `${text.slice(0, quotedLength)}…` : text;
}

const quotedLength = 80;
