import type { Tool, ToolCall } from "@pikit/ai";

/** Loads the functions that check the arguments of tool calls. */
export async function loadValidation() {
  const { Value } = await import("@sinclair/typebox/value");

  /**
   * Converts and checks arguments by the schema of a tool.
   *
   * @returns A copy with converted values.
   * @throws {TypeError} When they do not match; the message names the first problem.
   */
  function validateToolArguments({ name, parameters }: Tool, call: Pick<ToolCall, "arguments">): unknown {
    const value = Value.Convert(parameters, structuredClone(call.arguments));
    const problem = Value.Errors(parameters, value).First();
    if (!problem) return value;
    throw new TypeError(
      `Invalid arguments for ${name}: ${problem.message} at ${problem.path || "/"}. Call the tool again with corrected arguments.`,
    );
  }

  /** The same for the tool with the name in the call. @throws {TypeError} Also when there is none. */
  function validateToolCall(tools: readonly Tool[], call: ToolCall): unknown {
    const tool = tools.find(({ name }) => name === call.name);
    if (!tool) throw new TypeError(`There is no tool "${call.name}".`);
    return validateToolArguments(tool, call);
  }

  return { validateToolArguments, validateToolCall };
}
