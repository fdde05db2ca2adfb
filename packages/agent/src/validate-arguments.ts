import { isTooDeep, maxNesting } from "@pikit/ai";
import type { TSchema } from "@sinclair/typebox";
import { Errors } from "@sinclair/typebox/errors";
import { Check } from "@sinclair/typebox/value";
import { coerceArguments } from "./coerce-arguments.ts";
import { ToolError, unusableSchema } from "./errors.ts";
import { hasPatterns } from "./schema-patterns.ts";
import type { AgentLoopConfig, AgentTool } from "./types.ts";

/** Maximum number of problems in one error message; the model gets the others after its next attempt. */
const maxProblems = 5;
/** Maximum characters of the received arguments in an error message. */
const maxQuoted = 500;

/**
 * Coerces a model's arguments and checks them against the tool's schema (TypeBox, or any JSON Schema).
 *
 * @param patternsFor - See `AgentLoopConfig`.
 * @returns A copy, so that a tool may change it.
 * @throws {ToolError} `invalid_arguments`, whose message has path and reason of each problem and the received arguments; `invalid_schema`
 *   when the schema cannot be used.
 */
export async function validateArguments(
  tool: AgentTool,
  args: Record<string, unknown>,
  patternsFor?: AgentLoopConfig["patternsFor"],
): Promise<unknown> {
  const { isPatterned } = examine(tool.parameters);
  const params = coerceArguments(tool.parameters, structuredClone(args));
  const problems = await (isPatterned ? findPatternedProblems(tool, params, patternsFor) : findProblems(tool.parameters, params));
  if (problems.length === 0) return params;
  throw new ToolError(
    "invalid_arguments",
    `Invalid arguments for ${tool.name}. ${problems.slice(0, maxProblems).join("; ")}. Received: ${quote(args)}. Call the tool again with corrected arguments.`,
  );
}

interface SchemaFacts {
  /** Whether it has regular expressions. */
  isPatterned: boolean;
}

const examined = new WeakMap<object, SchemaFacts>();

/** Checks the nesting of a schema, because the validators are recursive. */
function examine(schema: TSchema): SchemaFacts {
  const known = examined.get(schema);
  if (known) return known;
  if (isTooDeep(schema)) throw unusableSchema(`it is nested more than ${maxNesting} levels deep`);
  const facts = { isPatterned: hasPatterns(schema) };
  examined.set(schema, facts);
  return facts;
}

/** Schemas with patterns do not go to TypeBox, because it would run JavaScript's regular expressions. */
async function findPatternedProblems(
  tool: AgentTool,
  value: unknown,
  patternsFor: AgentLoopConfig["patternsFor"],
): Promise<string[]> {
  const { findJsonSchemaProblems } = await import("./json-schema.ts");
  return findJsonSchemaProblems(tool.parameters, value, await patternsFor?.(tool));
}

/** The problems, as `path: reason`; empty when the value is valid. */
async function findProblems(schema: TSchema, value: unknown): Promise<string[]> {
  try {
    if (Check(schema, value)) return [];
    return Array.from(Errors(schema, value), ({ path, message }) => `${path || "/"}: ${message}`);
  } catch {
    // TypeBox throws for a schema that it did not create, such as the plain JSON Schema of a host tool.
    return (await import("./json-schema.ts")).findJsonSchemaProblems(schema, value);
  }
}

function quote(args: Record<string, unknown>): string {
  const text = JSON.stringify(args);
  return text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text;
}
