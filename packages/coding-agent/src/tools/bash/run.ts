import { type AgentToolResult, ToolError } from "@pikit/agent";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { OutputTail } from "../../exec/output-tail.ts";
import { type ProcessResult, type ProcessRunner, runProcess } from "../../exec/run-process.ts";
import { createThrottle } from "../output/throttle.ts";
import { formatSize } from "../output/truncate.ts";
import type { BashParameters } from "./parameters.ts";

/** Between two reports of a running command's output. */
const updateIntervalMs = 100;
const { maxBytes } = defaultOutputLimits;

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

interface BashCall extends BashToolOptions {
  toolCallId: string;
  cwd: string;
  signal: AbortSignal;
  onUpdate(partialResult: AgentToolResult<BashDetails>): void;
}

/** Carries out one call of `bash`. */
export async function runBash({ command, timeout }: BashParameters, call: BashCall): Promise<AgentToolResult<BashDetails>> {
  // The loop has checked this; programs that use the library call a tool directly.
  if (timeout !== undefined && !(timeout > 0)) {
    throw new ToolError(
      "invalid_arguments",
      `timeout must be more than 0 seconds, but is ${timeout}. Leave it out for the default.`,
    );
  }
  const { runProcess: run = runProcess, defaultTimeoutSeconds = 0 } = call;
  const { toolCallId, cwd, signal, onUpdate, onCommandOutput, separateStreams } = call;
  const timeoutSeconds = timeout ?? defaultTimeoutSeconds;
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
      ...(timeoutSeconds > 0 && { timeoutMs: timeoutSeconds * 1000 }),
      onOutput(text, stream) {
        onCommandOutput?.(toolCallId, stream, text);
        tail.append(text);
        updates.request();
      },
    });
    return toFinalResult(result, timeoutSeconds);
  } finally {
    updates.stop();
  }
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
