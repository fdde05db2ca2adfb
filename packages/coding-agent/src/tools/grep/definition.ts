import type { AgentTool } from "@pikit/agent";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { formatSize } from "../output/truncate.ts";
import { defaultLimit, grepParameters, maxLineLength } from "./parameters.ts";
import type { GrepDetails } from "./render-matches.ts";
import type { GrepToolOptions } from "./run.ts";

/** The `grep` tool for one working folder. An empty result is not an error; an invalid pattern is a `ToolError`. */
export function createGrepTool(cwd: string, options: GrepToolOptions = {}): AgentTool<typeof grepParameters, GrepDetails> {
  return {
    name: "grep",
    label: "Grep",
    description:
      "Finds lines that match a regular expression in the files of a folder. Returns path:line: text, paths relative to the working " +
      "folder. Skips what .gitignore files exclude and binary files; dotfiles are searched. " +
      `At most ${defaultLimit} matches (see limit) and ${formatSize(defaultOutputLimits.maxBytes)}; lines are cut at ${maxLineLength} characters.`,
    parameters: grepParameters,
    executionMode: "parallel",
    async execute(_toolCallId, params, signal) {
      return (await import("./run.ts")).runGrep(params, { ...options, cwd, signal });
    },
  };
}
