/** The parameters of a tool: the schema of its author, and its JSON Schema for models and the wire. */

/** A schema of a library with the Standard JSON Schema interface, such as Zod 4.2 or newer. */
export interface StandardSchema<TArguments = unknown> {
  readonly "~standard": {
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: TArguments } | undefined;
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> };
    /** Undefined if the library cannot validate values with this schema. */
    readonly validate?: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** The result of a validation: the value with defaults and transformations applied, or the problems. */
type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** A plain JSON Schema. The second type allows schemas that were declared with an interface. */
export type JsonSchema = Record<string, unknown> | { readonly type?: unknown; readonly properties?: unknown };

/** The parameters of a tool: a TypeBox schema, a standard schema, or a plain JSON Schema, from which no argument types can be derived. */
export type ToolParameters<TArguments = unknown> = { static: TArguments } | StandardSchema<TArguments> | JsonSchema;

/**
 * Converts the parameters of a tool to JSON Schema.
 *
 * @throws {TypeError} When the library of the schema cannot convert it.
 */
export function toJsonSchema(parameters: ToolParameters): Record<string, unknown> {
  const standard = standardOf(parameters);
  if (!standard) return parameters as Record<string, unknown>;
  if (typeof standard.jsonSchema?.input !== "function") {
    const advice = "update the library (Zod: to 4.2 or newer), or pass a plain JSON Schema (Zod 4: z.toJSONSchema(schema))";
    throw new TypeError(`The parameters are a schema of ${standard.vendor} that does not tell its JSON Schema: ${advice}.`);
  }
  try {
    const { $schema: _version, ...schema } = standard.jsonSchema.input({ target: "draft-2020-12" });
    return schema;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`The parameters cannot be written as JSON Schema: ${reason}.`, { cause });
  }
}

/**
 * Validates arguments with the library of the schema and applies its defaults and transformations. The arguments must already match the JSON
 * Schema.
 *
 * @returns The value, or the problems as `path: reason`.
 */
export async function readArguments(
  parameters: ToolParameters,
  args: unknown,
): Promise<{ value: unknown } | { problems: string[] }> {
  const result = await standardOf(parameters)?.validate?.(args);
  if (!result) return { value: args };
  if (!result.issues) return { value: result.value };
  return { problems: result.issues.map(({ path = [], message }) => `/${path.map(toKey).join("/")}: ${message}`) };
}

/** Whether a schema belongs to a library, which may validate the arguments itself. */
export function isStandardSchema(parameters: ToolParameters): boolean {
  return standardOf(parameters) !== undefined;
}

function standardOf(parameters: ToolParameters): Partial<StandardSchema["~standard"]> | undefined {
  return (parameters as Partial<StandardSchema> | undefined)?.["~standard"];
}

/** A path segment is a key, or an object with a `key`. */
function toKey(step: unknown): string {
  return String(typeof step === "object" && step !== null && "key" in step ? step.key : step);
}
