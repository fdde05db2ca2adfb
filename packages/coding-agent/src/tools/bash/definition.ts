import { type AgentTool, ToolError } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { type ProcessResult, type ProcessRunner, runProcess } from "../../exec/run-process.ts";
import { loadRuns } from "../load-runs.ts";
import { formatSize } from "../output/truncate.ts";

const { maxLines, maxBytes } = defaultOutputLimits;

type BashSchema = ReturnType<typeof createParameters>;

export type BashParameters = Static<BashSchema>;

/** How the command ended and what of its output is in the text; while it runs, only the output's part. */
export type BashDetails = Omit<ProcessResult, "output" | "outcome" | "exitCode" | "exitSignal"> &
  Partial<Pick<ProcessResult, "outcome" | "exitCode" | "exitSignal">>;

/** Sees the output of a running command as it comes, as plain text. */
export type CommandObserver = (toolCallId: string, stream: "stdout" | "stderr", chunk: string) => void;

export interface BashToolOptions {
  /** What runs the command. Default: this machine. */
  runProcess?: ProcessRunner;
  /** For calls that ask for no timeout. Default: 0, which is no limit. */
  defaultTimeoutSeconds?: number;
  /**
   * A pipe for each stream, so that `onCommandOutput` is told truly what came by which. Their order is then that in which they were
   * read. Default: one pipe, exact order, and all output is told as stdout.
   */
  separateStreams?: boolean;
  /** Told of output at once, before the throttled updates. What it throws ends the command. */
  onCommandOutput?: CommandObserver;
}

/** The `bash` tool for one working folder. A command that fails, times out or is aborted is a `ToolError` with its output. */
export function createBashTool(cwd: string, options: BashToolOptions = {}): AgentTool<BashSchema, BashDetails> {
  const { runProcess: run = runProcess, defaultTimeoutSeconds = 0 } = options;
  return {
    name: "bash",
    label: "Bash",
    description:
      "Runs a command with bash in the working folder and returns stdout and stderr together, in the order in which they came. " +
      `Of long output the last ${maxLines} lines or ${formatSize(maxBytes)} are returned; all of it is in a file whose path is given. ` +
      "There is no stdin and no terminal. Each call is a new shell: cd and variables do not carry over. " +
      "Background processes live on until the session ends.",
    parameters: createParameters(defaultTimeoutSeconds),
    async execute(toolCallId, { command, timeout }, signal, onUpdate) {
      // The loop has seen to this; callers of the library come here directly.
      if (timeout !== undefined && !(timeout > 0)) {
        throw new ToolError(
          "invalid_arguments",
          `timeout must be more than 0 seconds, but is ${timeout}. Leave it out for the default.`,
        );
      }
      const { runBash } = await loadRuns();
      const timeoutSeconds = timeout ?? defaultTimeoutSeconds;
      return runBash({ ...options, runProcess: run, toolCallId, command, timeoutSeconds, cwd, signal, onUpdate });
    },
  };
}

function createParameters(defaultTimeoutSeconds: number) {
  const byDefault = defaultTimeoutSeconds > 0 ? `${defaultTimeoutSeconds}` : "no limit";
  return Type.Object({
    command: Type.String({ description: "Command for bash, run unchanged in the working folder; it may have several lines" }),
    timeout: Type.Optional(
      Type.Number({
        // A millisecond; models that say 0 mean "at once" as often as "never".
        minimum: 0.001,
        description: `Seconds until the command and everything it started is killed; more than 0 (default: ${byDefault})`,
      }),
    ),
  });
}
