import type { AgentTool } from "@pikit/agent";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import type { FileToolOptions } from "../files/file-access.ts";
import { formatSize } from "../output/truncate.ts";
import type { PathListDetails } from "../search/render-paths.ts";
import { defaultLimit, findParameters } from "./parameters.ts";

const { maxBytes } = defaultOutputLimits;

/** The `find` tool for one working folder: finds files, folders and links by name. An empty result is not an error. */
export function createFindTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof findParameters, PathListDetails> {
  return {
    name: "find",
    label: "Find",
    description:
      "Finds files, folders and links whose names or paths match a glob. Returns paths relative to the working folder, folders with a " +
      `final "/". Skips what .gitignore files exclude; dotfiles are found. At most ${defaultLimit} paths (see limit) and ${formatSize(maxBytes)}.`,
    parameters: findParameters,
    executionMode: "parallel",
    async execute(_toolCallId, params, signal) {
      return (await import("./run.ts")).runFind(params, { cwd, signal, files: options.files });
    },
  };
}
