import type { CompilePattern, SchemaPattern } from "./types.ts";

/** An object inside a schema. */
type Node = Readonly<Record<string, unknown>>;

/** A schema without the patterns that cannot be checked; `patterns` has the others, by source. */
export interface CheckableSchema {
  schema: object;
  patterns: ReadonlyMap<string, SchemaPattern>;
}

/** Whether a schema has regular expressions. May also return true for data that looks like one. */
export function hasPatterns(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  if (Array.isArray(schema)) return schema.some(hasPatterns);
  const { type, pattern, patternProperties } = schema as Node;
  // TypeBox has its own type for regular expressions.
  return (
    type === "RegExp" || typeof pattern === "string" || patternProperties !== undefined || Object.values(schema).some(hasPatterns)
  );
}

/** Keywords that may reject more values when their subschemas accept more, grouped with the keywords that depend on them. */
const groups: readonly ReadonlySet<string>[] = [
  new Set(["not"]),
  new Set(["oneOf"]),
  new Set(["if", "then", "else"]),
  new Set(["contains", "minContains", "maxContains"]),
];
/** Keywords that apply to the properties that no other keyword has matched. */
const remaining: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);
/** Keywords that hold data, which is not converted. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords that hold schemas by name; these names are not keywords. */
const maps: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas", "patternProperties"]);

/**
 * Converts a schema so that the validator uses only patterns from `compile`: JavaScript's regular expressions can take unlimited time for
 * a short text. Patterns that `compile` does not support are removed, together with keywords that would reject more values without them.
 * The result accepts at least the same values.
 *
 * @param schema - Nested at most `maxNesting` levels.
 */
export function toCheckable(schema: object, compile: CompilePattern = () => undefined): CheckableSchema {
  const patterns = new Map<string, SchemaPattern>();
  const isExpressed = (source: string): boolean => {
    if (patterns.has(source)) return true;
    const pattern = compile(source);
    if (pattern) patterns.set(source, pattern);
    return pattern !== undefined;
  };
  return { schema: convert(schema, isExpressed).value as object, patterns };
}

/** A converted value, and whether something in it was removed. */
interface Converted {
  value: unknown;
  isWider: boolean;
}

function convert(value: unknown, isExpressed: (source: string) => boolean): Converted {
  if (typeof value !== "object" || value === null) return { value, isWider: false };
  if (Array.isArray(value)) {
    const items = value.map((item) => convert(item, isExpressed));
    return { value: items.map((item) => item.value), isWider: items.some((item) => item.isWider) };
  }
  const entries = Object.entries(value).flatMap(([keyword, held]) => {
    const converted = convertKeyword(keyword, held, isExpressed);
    return converted ? [{ keyword, ...converted }] : [{ keyword, value: undefined, isWider: true }];
  });
  const isWider = entries.some((entry) => entry.isWider);
  const losesNames = entries.some((entry) => entry.keyword === "patternProperties" && entry.isWider);
  const kept = entries.filter(({ keyword, value: held }) => {
    if (held === undefined || (losesNames && remaining.has(keyword))) return false;
    const together = groups.find((group) => group.has(keyword));
    return !entries.some((entry) => together?.has(entry.keyword) && entry.isWider);
  });
  return { value: Object.fromEntries(kept.map((entry) => [entry.keyword, entry.value])), isWider };
}

/** Undefined for a keyword that cannot be checked. */
function convertKeyword(keyword: string, value: unknown, isExpressed: (source: string) => boolean): Converted | undefined {
  if (data.has(keyword)) return { value, isWider: false };
  if (keyword === "pattern" && typeof value === "string") return isExpressed(value) ? { value, isWider: false } : undefined;
  if (!maps.has(keyword) || typeof value !== "object" || value === null) return convert(value, isExpressed);
  const named = Object.entries(value).map(([name, schema]) => ({ name, ...convert(schema, isExpressed) }));
  const known = keyword === "patternProperties" ? named.filter(({ name }) => isExpressed(name)) : named;
  return {
    value: Object.fromEntries(known.map((entry) => [entry.name, entry.value])),
    isWider: known.length < named.length || named.some((entry) => entry.isWider),
  };
}
