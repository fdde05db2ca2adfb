import type { IncomingMessage } from "node:http";
import type { TObject, TSchema } from "@sinclair/typebox";
import { Check } from "@sinclair/typebox/value";
import { HttpError } from "./http-error.ts";

/**
 * Reads the parameters of a query. Unknown and repeated ones are refused, because a misspelt `since` would lose frames.
 *
 * @throws {HttpError} `bad_request`; the message names the parameter and not its value, which may be a token in the wrong place.
 */
export function readQuery(query: URLSearchParams, schema: TObject | undefined): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const field = schema && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!field) {
      const known = Object.keys(schema?.properties ?? {});
      const expected = known.length > 0 ? `expected ${known.join(", ")}` : "this address takes none";
      throw new HttpError("bad_request", `Unknown query parameter "${name.slice(0, 40)}": ${expected}.`);
    }
    const [text = "", ...others] = query.getAll(name);
    fields[name] = readText(`query parameter "${name}"`, others.length > 0 ? undefined : text, field);
  }
  return fields;
}

/**
 * Reads a header that has a schema.
 *
 * @returns Its value; undefined without the header.
 * @throws {HttpError} `bad_request`.
 */
export function readHeader({ headers }: IncomingMessage, name: string, schema: TSchema): string | undefined {
  const value = headers[name] as string | undefined;
  return value === undefined ? undefined : (readText(`header "${name}"`, value, schema) as string);
}

function readText(what: string, text: string | undefined, schema: TSchema): unknown {
  const value = schema.type === "integer" && /^\d{1,15}$/.test(text ?? "") ? Number(text) : text;
  if (value !== undefined && Check(schema, value)) return value;
  throw new HttpError("bad_request", `The ${what} must be ${expectation(schema)}, given once.`);
}

function expectation({ type, anyOf, minimum, maximum, minLength = 0, maxLength }: TSchema): string {
  if (Array.isArray(anyOf)) return anyOf.map((option: TSchema) => String(option.const)).join(" or ");
  if (type === "integer") return `an integer from ${minimum} to ${maximum}`;
  return maxLength === undefined ? "a text" : `a text of ${minLength} to ${maxLength} characters`;
}
