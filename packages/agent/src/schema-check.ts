/**
 * Loads a function that checks values against plain JSON Schemas, which TypeBox does not accept. It returns the problems, as `path: reason`;
 * none for a valid value. It throws a `ToolError` for an unusable schema. Patterns and formats are not checked.
 */
export async function loadSchemaCheck(): Promise<(schema: object, value: unknown) => string[]> {
  const { findJsonSchemaProblems } = await import("./json-schema.ts");
  return (schema, value) => findJsonSchemaProblems(schema, value);
}
