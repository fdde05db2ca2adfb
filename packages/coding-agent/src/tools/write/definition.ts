import type { AgentTool } from "@pikit/agent";
import type { FileToolOptions } from "../files/file-access.ts";
import { writeParameters } from "./parameters.ts";
import type { WriteDetails } from "./run.ts";

/** The `write` tool for one working folder: creates a file or replaces its whole content. */
export function createWriteTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof writeParameters, WriteDetails> {
  return {
    name: "write",
    label: "Write",
    description:
      "Creates a file or replaces its whole content. Missing parent folders are created. To change parts of an existing file, use edit.",
    parameters: writeParameters,
    async execute(toolCallId, params, signal) {
      return (await import("./run.ts")).runWrite(params, { toolCallId, cwd, signal, ...options });
    },
  };
}
