import { Value } from "@sinclair/typebox/value";
import { ToolError } from "./errors.ts";
import type { AgentTool } from "./types.ts";

/** Problems named in one error message; a model mends these and sees the rest next time. */
const maxProblems = 5;
/** Characters of the received arguments that are quoted back. */
const maxQuoted = 500;

/**
 * Checks a model's arguments against the tool's schema, after converting what is merely spelt wrong (`"5"` for a number).
 *
 * @returns A copy, so that a tool may change it.
 * @throws {ToolError} `invalid_arguments`, listing path and reason of each problem and the arguments as received.
 */
export function validateArguments(tool: AgentTool, args: Record<string, unknown>): unknown {
  const converted = Value.Convert(tool.parameters, structuredClone(args));
  if (Value.Check(tool.parameters, converted)) return converted;
  const problems: string[] = [];
  for (const { path, message } of Value.Errors(tool.parameters, converted)) {
    if (problems.length === maxProblems) break;
    problems.push(`${path || "/"}: ${message}`);
  }
  throw new ToolError(
    "invalid_arguments",
    `Invalid arguments for ${tool.name}. ${problems.join("; ")}. Received: ${quote(args)}. Call the tool again with corrected arguments.`,
  );
}

function quote(args: Record<string, unknown>): string {
  const text = JSON.stringify(args);
  return text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text;
}
