import { type AgentTool, type AgentToolResult, ToolError } from "@pikit/agent";
import type { TSchema } from "@sinclair/typebox";
import { isStandardSchema, readArguments, type ToolParameters, toJsonSchema } from "../protocol/tool-parameters.ts";
import { type ToolRendering, toTextRenderers } from "./tool-rendering.ts";

/** Maximum characters of the arguments to quote in an error. */
const maxQuoted = 500;

/** The definition of a tool by its author. */
export interface ToolDefinition<TArguments = unknown, TDetails = unknown> extends ToolRendering<TArguments, TDetails> {
  /** The name that the model uses in calls. */
  name: string;
  /** The name for users. Default: `name`. */
  label?: string;
  /** The description for the model. */
  description: string;
  /** TypeBox, Zod (4.2 or newer) or another library with the Standard JSON Schema interface, or plain JSON Schema. */
  parameters: ToolParameters<TArguments>;
  /** Whether the tool may run in parallel with other `parallel` tools of the same answer. Default `sequential`. */
  executionMode?: "parallel" | "sequential";
  /**
   * Runs the tool. It reports a failure by throwing, preferably a `ToolError`; the model reads the message.
   *
   * @param params - Validated, with the defaults and transformations of the schema library. A copy, which the tool may keep or change.
   * @param signal - Aborted with the run. If the tool does not return within 2 seconds, the run continues without its result.
   * @param onUpdate - Reports all output so far, not a delta. Ignored after the tool has returned.
   */
  execute(
    toolCallId: string,
    params: TArguments,
    signal: AbortSignal,
    onUpdate: (partialResult: AgentToolResult<TDetails>) => void,
  ): Promise<AgentToolResult<TDetails>>;
}

/**
 * Returns the tool unchanged; infers the type of the arguments of `execute` from the schema. For plain JSON Schema, give the type:
 * `defineTool<{ city: string }>({ … })`.
 */
export function defineTool<TArguments = Record<string, unknown>, TDetails = unknown>(
  tool: ToolDefinition<TArguments, TDetails>,
): ToolDefinition<TArguments, TDetails> {
  return tool;
}

/**
 * Converts a definition to a tool for the agent loop. An object that is already such a tool is returned unchanged.
 *
 * @throws {TypeError} When the parameters cannot be converted to JSON Schema.
 */
export function toAgentTool(tool: ToolDefinition): AgentTool {
  const { name, label = name, description, parameters, executionMode } = tool;
  if (!isStandardSchema(parameters) && tool.label !== undefined) return tool as AgentTool;
  return {
    ...{ name, label, description, parameters: describeParameters(name, parameters) },
    ...(executionMode === undefined ? {} : { executionMode }),
    async execute(toolCallId, args, signal, onUpdate) {
      const params = await checkArguments(name, parameters, args);
      return tool.execute(toolCallId, params, signal, onUpdate);
    },
    ...toTextRenderers(tool, () => process.cwd()),
  };
}

/** Returns the JSON Schema of a tool's parameters, which the agent loop accepts as a TypeBox schema. */
export function describeParameters(toolName: string, parameters: ToolParameters): TSchema {
  try {
    return toJsonSchema(parameters) as unknown as TSchema;
  } catch (cause) {
    throw new TypeError(`The tool "${toolName}" cannot be used. ${(cause as Error).message}`, { cause });
  }
}

/**
 * Validates and transforms arguments with the library of the tool's schema, after the check with JSON Schema.
 *
 * @throws {ToolError} `invalid_arguments`, with the same wording as the check with JSON Schema.
 */
export async function checkArguments(toolName: string, parameters: ToolParameters, args: unknown): Promise<unknown> {
  const read = await readArguments(parameters, args);
  if ("value" in read) return read.value;
  const text = JSON.stringify(args);
  const received = text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text;
  const problems = read.problems.join("; ");
  throw new ToolError(
    "invalid_arguments",
    `Invalid arguments for ${toolName}. ${problems}. Received: ${received}. Call the tool again with corrected arguments.`,
  );
}
