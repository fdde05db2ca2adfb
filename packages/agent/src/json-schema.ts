import { Ajv, type ValidateFunction } from "ajv";
import { unusableSchema } from "./errors.ts";
import { toCheckable } from "./schema-patterns.ts";
import type { CompilePattern, SchemaPattern } from "./types.ts";

/** Steps that the regular expressions of one check may take; those beyond are passed over. A fifth of a second. */
const maxSteps = 20_000_000;

let stepsLeft = 0;

/** By schema: those whose patterns are checked, and those whose are not. */
const validators = { checked: new WeakMap<object, ValidateFunction>(), unchecked: new WeakMap<object, ValidateFunction>() };

/**
 * Checks a value against a plain JSON Schema.
 *
 * @param compile - Makes the schema's regular expressions; without it they are not checked. What it makes serves all later checks.
 * @returns What is wrong, as `path: reason`; empty when nothing is.
 * @throws {ToolError} `invalid_schema` when the schema itself cannot be used.
 */
export function findJsonSchemaProblems(schema: object, value: unknown, compile?: CompilePattern): string[] {
  const known = compile ? validators.checked : validators.unchecked;
  try {
    const validate = known.get(schema) ?? createValidator(schema, compile);
    known.set(schema, validate);
    stepsLeft = maxSteps;
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"}: ${message ?? "is not valid"}`);
  } catch (cause) {
    throw unusableSchema(reasonOf(cause), cause);
  }
}

function createValidator(schema: object, compile: CompilePattern | undefined): ValidateFunction {
  const { schema: checkable, patterns } = toCheckable(schema, compile);
  // Without its id a schema can be compiled anew when a host sends the same one again.
  const { $id: _id, $schema: _schema, ...plain } = checkable as Record<string, unknown>;
  // Schemas come from models' hosts: keywords and formats that Ajv does not know are no reason to refuse a tool. One for each schema,
  // since it keeps all that it has compiled.
  return new Ajv({
    ...{ meta: false, validateSchema: false, strict: false, validateFormats: false, allErrors: true },
    code: { regExp: Object.assign((source: string) => toRegExp(source, patterns.get(source)), { code: "pattern" }) },
  }).compile(plain);
}

/** What Ajv asks for in the place of a regular expression. */
function toRegExp(source: string, pattern: SchemaPattern | undefined): { test(text: string): boolean; toString(): string } {
  return {
    test(text) {
      if (!pattern) return true;
      stepsLeft -= pattern.stepsPerCharacter * (text.length + 1);
      return stepsLeft < 0 || pattern.test(text);
    },
    // Tells Ajv one from another.
    toString: () => source,
  };
}

/** A reference that leads back to itself, without going down into the value, is followed until the stack is full. */
function reasonOf(cause: unknown): string {
  if (cause instanceof RangeError) return "its references ($ref) never come to an end";
  return cause instanceof Error ? cause.message : String(cause);
}
