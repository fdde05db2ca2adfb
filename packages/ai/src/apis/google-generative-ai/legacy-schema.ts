/** The keywords that the field `parameters` supports. Source: Gemini API reference, "Schema". */
const knownKeywords: ReadonlySet<string> = new Set([
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "items",
  "maxItems",
  "minItems",
  "properties",
  "required",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
  "pattern",
  "anyOf",
  "minimum",
  "maximum",
]);

/**
 * Removes from a JSON Schema what the older field does not support: references and definitions, comments, boolean subschemas, and enums
 * of anything but strings. The result accepts more than the original; arguments are validated against the original anyway.
 */
export function toLegacySchema(schema: unknown): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(withoutConst(schema))) {
    if (knownKeywords.has(keyword)) Object.assign(clean, convertKeyword(keyword, value));
  }
  return clean;
}

/** Replaces `const` with an `enum` of one value. */
function withoutConst(schema: unknown): Record<string, unknown> {
  if (typeof schema !== "object" || schema === null) return {};
  const { const: only, ...rest } = schema as Record<string, unknown>;
  return only === undefined ? rest : { ...rest, enum: [only] };
}

function convertKeyword(keyword: string, value: unknown): Record<string, unknown> {
  switch (keyword) {
    case "type":
      return convertType(value);
    case "format": // others are rejected on strings
      return value === "date-time" || value === "enum" ? { format: value } : {};
    case "enum":
      return Array.isArray(value) && value.every((item) => typeof item === "string") ? { enum: value } : {};
    case "items":
      return { items: toLegacySchema(value) };
    case "anyOf":
      return Array.isArray(value) ? { anyOf: value.filter((item) => typeof item === "object").map(toLegacySchema) } : {};
    case "properties":
      return { properties: convertProperties(value) };
    default:
      return { [keyword]: value };
  }
}

function convertProperties(properties: unknown): Record<string, unknown> {
  const entries = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
  return Object.fromEntries(entries.map(([name, schema]) => [name, toLegacySchema(schema)]));
}

/** The field takes one type, with null as a separate flag. */
function convertType(type: unknown): Record<string, unknown> {
  if (!Array.isArray(type)) return { type };
  const others = type.filter((name) => name !== "null");
  return { ...(others.length === 1 && { type: others[0] }), ...(others.length < type.length && { nullable: true }) };
}
