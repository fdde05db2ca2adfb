import { Ajv, type ValidateFunction } from "ajv";
import { unusableSchema } from "./errors.ts";
import { toCheckable } from "./schema-patterns.ts";
import type { CompilePattern, SchemaPattern } from "./types.ts";

/** Maximum steps of all regular expressions in one check, about 0.2 s. Further patterns are not checked. */
const maxSteps = 20_000_000;

let stepsLeft = 0;

/** Compiled validators by schema, with and without a check of the patterns. */
const validators = { checked: new WeakMap<object, ValidateFunction>(), unchecked: new WeakMap<object, ValidateFunction>() };

/**
 * Checks a value against a plain JSON Schema.
 *
 * @param compile - Compiles the schema's regular expressions, once for all checks; without it they are not checked.
 * @returns The problems, as `path: reason`; empty when the value is valid.
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
  // Without its id, a schema can be compiled again when a host sends it again.
  const { $id: _id, $schema: _schema, ...plain } = checkable as Record<string, unknown>;
  // Keywords and formats that Ajv does not know are allowed, because the schemas come from hosts. Each schema gets its own Ajv instance,
  // because an instance keeps everything that it has compiled.
  return new Ajv({
    ...{ meta: false, validateSchema: false, strict: false, validateFormats: false, allErrors: true },
    code: { regExp: Object.assign((source: string) => toRegExp(source, patterns.get(source)), { code: "pattern" }) },
  }).compile(plain);
}

/** Creates the object that Ajv uses in place of a regular expression. */
function toRegExp(source: string, pattern: SchemaPattern | undefined): { test(text: string): boolean; toString(): string } {
  return {
    test(text) {
      if (!pattern) return true;
      stepsLeft -= pattern.stepsPerCharacter * (text.length + 1);
      return stepsLeft < 0 || pattern.test(text);
    },
    // Ajv tells patterns apart by their text.
    toString: () => source,
  };
}

/** A circular `$ref` that does not descend into the value overflows the stack, which is a `RangeError`. */
function reasonOf(cause: unknown): string {
  if (cause instanceof RangeError) return "its references ($ref) never come to an end";
  return cause instanceof Error ? cause.message : String(cause);
}
