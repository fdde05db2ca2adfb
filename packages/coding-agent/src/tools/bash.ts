import { type AgentTool, type AgentToolResult, ToolError } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { defaultOutputLimits } from "../exec/output-limits.ts";
import { OutputTail } from "../exec/output-tail.ts";
import { type ProcessResult, type ProcessRunner, runProcess } from "../exec/run-process.ts";
import { createThrottle } from "./throttle.ts";
import { formatSize } from "./truncate.ts";

/** Between two reports of a running command's output. */
const updateIntervalMs = 100;
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
  /** For calls that ask for no timeout; they may ask for 0. Default: 0, which is no limit. */
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
  const run = options.runProcess ?? runProcess;
  const { defaultTimeoutSeconds = 0, separateStreams = false } = options;
  return {
    name: "bash",
    label: "Bash",
    description:
      "Runs a command with bash in the working folder and returns stdout and stderr together, in the order in which they came. " +
      `Of long output the last ${maxLines} lines or ${formatSize(maxBytes)} are returned; all of it is in a file whose path is given. ` +
      "There is no stdin and no terminal. Each call is a new shell: cd and variables do not carry over. " +
      "Background processes live on until the session ends.",
    parameters: createParameters(defaultTimeoutSeconds),
    async execute(toolCallId, { command, timeout = defaultTimeoutSeconds }, signal, onUpdate) {
      const tail = new OutputTail();
      const updates = createThrottle(updateIntervalMs, () => {
        const { text, ...details } = tail.snapshot();
        onUpdate(toToolResult(text, details));
      });
      try {
        const result = await run({
          command,
          cwd,
          signal,
          ...(separateStreams && { streams: "separate" }),
          ...(timeout > 0 && { timeoutMs: timeout * 1000 }),
          onOutput(text, stream) {
            options.onCommandOutput?.(toolCallId, stream, text);
            tail.append(text);
            updates.request();
          },
        });
        return toFinalResult(result, timeout);
      } finally {
        updates.stop();
      }
    },
  };
}

function createParameters(defaultTimeoutSeconds: number) {
  const byDefault = defaultTimeoutSeconds > 0 ? `default: ${defaultTimeoutSeconds}; 0: no limit` : "default and 0: no limit";
  return Type.Object({
    command: Type.String({ description: "Command for bash, run unchanged in the working folder; it may have several lines" }),
    timeout: Type.Optional(
      Type.Number({
        minimum: 0,
        description: `Seconds until the command and everything it started is killed (${byDefault})`,
      }),
    ),
  });
}

function toFinalResult({ output, ...details }: ProcessResult, timeoutSeconds: number): AgentToolResult<BashDetails> {
  const text = [output === "" ? "(no output)" : output, truncationNote(details)].filter((part) => part !== undefined).join("\n\n");
  const failure = describeFailure(details, timeoutSeconds);
  if (failure === undefined) return toToolResult(text, details);
  throw new ToolError(failure.code, `${text.trimEnd()}\n\n${failure.text}`, { details });
}

function toToolResult(text: string, details: BashDetails): AgentToolResult<BashDetails> {
  return { content: [{ type: "text", text }], details };
}

function describeFailure(
  { outcome, exitCode, exitSignal, survivors = [] }: Omit<ProcessResult, "output">,
  timeoutSeconds: number,
): { code: string; text: string } | undefined {
  const reason = "since they belong to another user or hang in the system";
  const left = survivors.length === 0 ? "" : ` These of its processes could not be killed, ${reason}: ${survivors.join(", ")}.`;
  if (outcome === "timeout") {
    const end = left === "" ? " and was killed." : `.${left}`;
    const advice = "Give it more time, or start it in the background with its output in a file.";
    return { code: "timeout", text: `Command timed out after ${timeoutSeconds} seconds${end} ${advice}` };
  }
  if (outcome === "aborted") return { code: "aborted", text: `Command aborted.${left}` };
  if (exitSignal !== null) return { code: "killed", text: `Command was killed by signal ${exitSignal}.` };
  if (exitCode !== 0) return { code: "exit_code", text: `Command exited with code ${exitCode}.` };
  return undefined;
}

function truncationNote(details: Omit<ProcessResult, "output">): string | undefined {
  if (!details.truncated) return undefined;
  const { totalLines, totalBytes, outputLines, outputBytes } = details;
  const shown = details.startsMidLine
    ? `the last ${formatSize(outputBytes)} of line ${totalLines} (output is ${formatSize(totalBytes)})`
    : `lines ${totalLines - outputLines + 1}-${totalLines} of ${totalLines}`;
  const reason = details.truncatedBy === "bytes" ? ` (${formatSize(maxBytes)} limit)` : "";
  const rest =
    details.fullOutputPath === undefined
      ? `The full output could not be saved: ${details.fullOutputError ?? "no file"}.`
      : `${details.fullOutputCut ? "Too much output to save all of it; its beginning" : "Full output"}: ${details.fullOutputPath}`;
  return `[Showing ${shown}${reason}. ${rest}]`;
}
