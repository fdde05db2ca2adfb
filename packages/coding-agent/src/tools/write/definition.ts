import type { AgentTool } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import type { FileToolOptions } from "../files/file-access.ts";
import { loadRuns } from "../load-runs.ts";

const parameters = Type.Object({
  path: Type.String({ description: "File to write, absolute or relative to the working folder" }),
  content: Type.String({ description: "The whole new content, stored exactly as given" }),
});

export type WriteParameters = Static<typeof parameters>;

export interface WriteDetails {
  /** Absolute, with links followed. */
  path: string;
  /** UTF-8 bytes written. */
  bytes: number;
  /** false when an existing file was replaced. */
  created: boolean;
}

/** The `write` tool for one working folder: creates or replaces a file as a whole. */
export function createWriteTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof parameters, WriteDetails> {
  return {
    name: "write",
    label: "Write",
    description:
      "Creates a file or replaces its whole content. Missing parent folders are created. To change parts of an existing file, use edit.",
    parameters,
    async execute(_toolCallId, params, signal) {
      return (await loadRuns()).runWrite(params, { cwd, signal, files: options.files });
    },
  };
}
