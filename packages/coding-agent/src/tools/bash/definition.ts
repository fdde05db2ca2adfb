import type { AgentTool } from "@pikit/agent";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { formatSize } from "../output/truncate.ts";
import { type BashSchema, createBashParameters } from "./parameters.ts";
import type { BashDetails, BashToolOptions } from "./run.ts";

const { maxLines, maxBytes } = defaultOutputLimits;

/** The `bash` tool for one working folder. Throws a `ToolError` with the output if a command fails, times out or is aborted. */
export function createBashTool(cwd: string, options: BashToolOptions = {}): AgentTool<BashSchema, BashDetails> {
  const { defaultTimeoutSeconds = 0, sandbox } = options;
  let parameters = createBashParameters(defaultTimeoutSeconds);
  let canLeave = false;
  return {
    name: "bash",
    label: "Bash",
    description:
      "Runs a command with bash in the working folder and returns stdout and stderr together, in the order in which they came. " +
      `Of long output the last ${maxLines} lines or ${formatSize(maxBytes)} are returned; all of it is in a file whose path is given. ` +
      "There is no stdin and no terminal. Each call is a new shell: cd and variables do not carry over. " +
      `Background processes live on until the session ends.${sandbox ? ` ${sandbox.description}` : ""}`,
    get parameters() {
      // Once offered it stays, so that the list of tools, which providers cache, does not change whenever the user comes and goes.
      if (!canLeave && sandbox?.canAsk()) {
        canLeave = true;
        parameters = createBashParameters(defaultTimeoutSeconds, true);
      }
      return parameters;
    },
    async execute(toolCallId, params, signal, onUpdate) {
      return (await import("./run.ts")).runBash(params, { ...options, toolCallId, cwd, signal, onUpdate });
    },
  };
}
