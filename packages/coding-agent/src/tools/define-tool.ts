import { type AgentTool, type AgentToolResult, ToolError } from "@pikit/agent";
import type { TSchema } from "@sinclair/typebox";
import { isStandardSchema, readArguments, type ToolParameters, toJsonSchema } from "../protocol/tool-parameters.ts";

/** Characters of the received arguments that are quoted back. */
const maxQuoted = 500;

/** A tool as its author writes it. */
export interface ToolDefinition<TArguments = unknown, TDetails = unknown> {
  /** What the model calls it by. */
  name: string;
  /** For people. Default: the name. */
  label?: string;
  /** What the model reads about it. */
  description: string;
  /** TypeBox, Zod (4.2 or newer) or another library with the Standard JSON Schema interface, or plain JSON Schema. */
  parameters: ToolParameters<TArguments>;
  /** Whether it may run beside other `parallel` tools of the same answer. Default `sequential`. */
  executionMode?: "parallel" | "sequential";
  /**
   * Runs the tool. Failures are thrown, best as a `ToolError`: the model reads its message.
   *
   * @param params - Validated; with the defaults and transformations of the schema's library. A copy that the tool may keep or change.
   * @param signal - Aborted when the run is; a tool that has not returned 2 seconds later is left behind.
   * @param onUpdate - Reports the output so far (all of it, not a delta). Ignored after the tool has returned.
   */
  execute(
    toolCallId: string,
    params: TArguments,
    signal: AbortSignal,
    onUpdate: (partialResult: AgentToolResult<TDetails>) => void,
  ): Promise<AgentToolResult<TDetails>>;
}

/**
 * Returns the tool as it is: `execute` gets the type of its arguments from the schema. Name the type yourself where the schema is plain JSON
 * Schema: `defineTool<{ city: string }>({ … })`.
 */
export function defineTool<TArguments = Record<string, unknown>, TDetails = unknown>(
  tool: ToolDefinition<TArguments, TDetails>,
): ToolDefinition<TArguments, TDetails> {
  return tool;
}

/**
 * The tool as the loop runs it; a tool that is one already stays the same object.
 *
 * @throws {TypeError} When its parameters cannot be told as JSON Schema.
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
  };
}

/** The JSON Schema of a tool's parameters, which the loop takes in the place of a TypeBox schema. */
export function describeParameters(toolName: string, parameters: ToolParameters): TSchema {
  try {
    return toJsonSchema(parameters) as unknown as TSchema;
  } catch (cause) {
    throw new TypeError(`The tool "${toolName}" cannot be used. ${(cause as Error).message}`, { cause });
  }
}

/**
 * Lets the library of a tool's schema have its say on arguments that fit the JSON Schema.
 *
 * @throws {ToolError} `invalid_arguments`, in the words of the check by JSON Schema.
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
