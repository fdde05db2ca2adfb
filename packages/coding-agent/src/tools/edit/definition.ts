import type { AgentTool } from "@pikit/agent";
import type { FileToolOptions } from "../files/file-access.ts";
import { editParameters } from "./parameters.ts";
import type { EditDetails } from "./run.ts";

/** The `edit` tool for one working folder: replaces parts of a text file. */
export function createEditTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof editParameters, EditDetails> {
  return {
    name: "edit",
    label: "Edit",
    description:
      "Replaces text in a file: give oldText and newText, or edits for several places in one call. " +
      "Read the file first, copy oldText from it, and include enough lines that it occurs only once. LF also matches CRLF.",
    parameters: editParameters,
    async execute(toolCallId, params, signal) {
      return (await import("./run.ts")).runEdit(params, { toolCallId, cwd, signal, ...options });
    },
  };
}
