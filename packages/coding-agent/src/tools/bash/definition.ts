import type { AgentTool } from "@pikit/agent";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { formatSize } from "../output/truncate.ts";
import { bashParameters } from "./parameters.ts";
import type { BashDetails, BashToolOptions } from "./run.ts";

const { maxLines, maxBytes } = defaultOutputLimits;

/** The `bash` tool for one working folder. Throws a `ToolError` with the output if a command fails, times out or is aborted. */
export function createBashTool(cwd: string, options: BashToolOptions = {}): AgentTool<typeof bashParameters, BashDetails> {
  const { defaultTimeoutSeconds = 0, sandbox } = options;
  let canLeave = false;
  let parameters = describeParameters(defaultTimeoutSeconds, canLeave);
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
        parameters = describeParameters(defaultTimeoutSeconds, canLeave);
      }
      return parameters;
    },
    async execute(toolCallId, params, signal, onUpdate) {
      return (await import("./run.ts")).runBash(params, { ...options, toolCallId, cwd, signal, onUpdate });
    },
  };
}

/**
 * The parameters as the model sees them. The type is the same in all cases: a model may give what it is not offered.
 *
 * @param defaultTimeoutSeconds - The timeout of calls without one. 0: no limit.
 * @param canLeave - Whether a command may ask to run outside of the sandbox.
 */
function describeParameters(defaultTimeoutSeconds: number, canLeave: boolean): typeof bashParameters {
  const { outsideSandbox, timeout, ...others } = bashParameters.properties;
  const byDefault = defaultTimeoutSeconds > 0 ? `${defaultTimeoutSeconds}` : "no limit";
  const properties = {
    ...{ ...others, timeout: { ...timeout, description: `${timeout.description} (default: ${byDefault})` } },
    ...((canLeave ? { outsideSandbox } : {}) as { outsideSandbox: typeof outsideSandbox }),
  };
  return { ...bashParameters, properties };
}
