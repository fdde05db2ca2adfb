import type { AgentTool } from "@pikit/agent";
import { delegateParameters } from "./parameters.ts";
import type { DelegateDetails, DelegateToolOptions } from "./run.ts";

/** The `delegate` tool: runs a sub-task in a new conversation. Throws a `ToolError` with the last text and the usage if the sub-task fails. */
export function createDelegateTool(options: DelegateToolOptions): AgentTool<typeof delegateParameters, DelegateDetails> {
  return {
    name: "delegate",
    label: "Delegate",
    description:
      "Gives a sub-task to an agent that begins with an empty conversation, works in the same folder with your tools or some of them, and " +
      "returns its final answer. Use it for work whose steps you need not see, such as searching a large code base, and for several " +
      "independent questions at once. It asks nothing back, so say all that it needs to know.",
    parameters: delegateParameters,
    executionMode: "parallel",
    async execute(toolCallId, params, signal, onUpdate) {
      return (await import("./run.ts")).runDelegate(params, { ...options, toolCallId, signal, onUpdate });
    },
  };
}
