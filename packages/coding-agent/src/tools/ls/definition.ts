import type { AgentTool } from "@pikit/agent";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import type { FileToolOptions } from "../files/file-access.ts";
import { formatSize } from "../output/truncate.ts";
import type { PathListDetails } from "../search/render-paths.ts";
import { defaultLimit, lsParameters } from "./parameters.ts";

const { maxBytes } = defaultOutputLimits;

/** The `ls` tool for one working folder. */
export function createLsTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof lsParameters, PathListDetails> {
  return {
    name: "ls",
    label: "List",
    description:
      'Lists a folder, dotfiles included, sorted without regard to case, folders and links to folders with a final "/". ' +
      `At most ${defaultLimit} entries (see limit) and ${formatSize(maxBytes)}.`,
    parameters: lsParameters,
    executionMode: "parallel",
    async execute(_toolCallId, params, signal) {
      return (await import("./run.ts")).runLs(params, { cwd, signal, files: options.files });
    },
  };
}
