import { Ajv, type ValidateFunction } from "ajv";
import { unusableSchema } from "./errors.ts";

// Schemas come from models' hosts: keywords and formats that Ajv does not know are no reason to refuse a tool.
const ajv = new Ajv({ meta: false, validateSchema: false, strict: false, validateFormats: false, allErrors: true });
const validators = new WeakMap<object, ValidateFunction>();

/**
 * Checks a value against a plain JSON Schema.
 *
 * @returns What is wrong, as `path: reason`; empty when nothing is.
 * @throws {ToolError} `invalid_schema` when the schema itself cannot be used.
 */
export function findJsonSchemaProblems(schema: object, value: unknown): string[] {
  const validate = validators.get(schema) ?? compile(schema);
  try {
    if (validate(value)) return [];
  } catch (cause) {
    throw unusableSchema(reasonOf(cause), cause);
  }
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"}: ${message ?? "is not valid"}`);
}

function compile(schema: object): ValidateFunction {
  // Without its id a schema can be compiled anew when a host sends the same one again.
  const { $id: _id, $schema: _schema, ...plain } = schema as Record<string, unknown>;
  try {
    const validate = ajv.compile(plain);
    validators.set(schema, validate);
    return validate;
  } catch (cause) {
    throw unusableSchema(reasonOf(cause), cause);
  }
}

/** A reference that leads back to itself, without going down into the value, is followed until the stack is full. */
function reasonOf(cause: unknown): string {
  if (cause instanceof RangeError) return "its references ($ref) never come to an end";
  return cause instanceof Error ? cause.message : String(cause);
}
