/** What a tool takes, as its author writes it down, and as models and the wire have it: JSON Schema. */

/** A schema of a library that gives its JSON Schema by the Standard JSON Schema interface, such as Zod from 4.2 on. */
export interface StandardSchema<TArguments = unknown> {
  readonly "~standard": {
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: TArguments } | undefined;
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> };
    /** Absent where the library cannot check values by this schema. */
    readonly validate?: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** What a check gave: the value, with defaults and transformations applied; or what is wrong. */
type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** A plain JSON Schema, also one that was declared with an interface. */
export type JsonSchema = Record<string, unknown> | { readonly type?: unknown; readonly properties?: unknown };

/** What a tool takes: a TypeBox schema, a standard one, or a plain JSON Schema, whose type says nothing about the arguments. */
export type ToolParameters<TArguments = unknown> = { static: TArguments } | StandardSchema<TArguments> | JsonSchema;

/**
 * The JSON Schema of what a tool takes.
 *
 * @throws {TypeError} When the library of the schema cannot tell it.
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
 * Arguments that fit the JSON Schema of a tool, as its author wants them: with the defaults and transformations of the library.
 *
 * @returns The value, or what is wrong with it as `path: reason`.
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

/** Whether a schema is one of a library, which may have a say on the arguments. */
export function isStandardSchema(parameters: ToolParameters): boolean {
  return standardOf(parameters) !== undefined;
}

function standardOf(parameters: ToolParameters): Partial<StandardSchema["~standard"]> | undefined {
  return (parameters as Partial<StandardSchema> | undefined)?.["~standard"];
}

/** A step of a path is a key, or an object that has one. */
function toKey(step: unknown): string {
  return String(typeof step === "object" && step !== null && "key" in step ? step.key : step);
}
