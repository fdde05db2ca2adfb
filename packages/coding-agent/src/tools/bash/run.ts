import { type AgentToolResult, ToolError } from "@pikit/agent";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { OutputTail } from "../../exec/output-tail.ts";
import { type ProcessResult, type ProcessRunner, runProcess } from "../../exec/run-process.ts";
import { createThrottle } from "../output/throttle.ts";
import { formatSize } from "../output/truncate.ts";
import type { BashParameters } from "./parameters.ts";

/** The interval between two updates with the output of a running command. */
const updateIntervalMs = 100;
const { maxBytes } = defaultOutputLimits;

/** The result of the command and the part of its output in the text. While the command runs, only the fields about the output are set. */
export type BashDetails = Omit<ProcessResult, "output" | "outcome" | "exitCode" | "exitSignal"> &
  Partial<Pick<ProcessResult, "outcome" | "exitCode" | "exitSignal">> & {
    /** Why an undo does not know what the command has changed. Only in the first result with that reason. */
    changesNotKept?: string;
  };

/** Keeps what commands change, so that it can be put back. */
export interface CommandKeeper {
  /**
   * Runs a command. Rejects only if `run` does.
   *
   * @returns `notKept`: why its changes are not kept, if that was not said before.
   */
  around<T>(
    call: { toolCallId: string; command: string; cwd: string },
    run: () => Promise<T>,
  ): Promise<{ result: T; notKept?: string }>;
}

/** Called with the output of a running command as it arrives, as plain text. */
export type CommandObserver = (toolCallId: string, stream: "stdout" | "stderr", chunk: string) => void;

export interface BashToolOptions {
  /** Runs the command. Default: on this machine. */
  runProcess?: ProcessRunner;
  /** The timeout of calls without one. Default: 0, which means no limit. */
  defaultTimeoutSeconds?: number;
  /**
   * Whether stdout and stderr have separate pipes, so that `onCommandOutput` gets the real stream; the order is that of reading. Default false:
   * one pipe, in exact order, and all output is reported as stdout.
   */
  separateStreams?: boolean;
  /** Called with output at once, before the throttled updates. If it throws, the command is killed. */
  onCommandOutput?: CommandObserver;
  /** Default: what commands change is not kept. */
  commandKeeper?: CommandKeeper;
  /** The sandbox of commands. Default: none. */
  sandbox?: CommandSandbox;
}

/** The sandbox of commands, as the tool describes it. */
export interface CommandSandbox {
  /** The limits of commands, for the model. */
  readonly description: string;
  /** Whether there is a user who can be asked about a command that must run outside. Approvals ask before the call runs. */
  canAsk(): boolean;
}

const leaveAdvice = " If it must run outside, call bash again with outsideSandbox; the user is asked.";

interface BashCall extends BashToolOptions {
  toolCallId: string;
  cwd: string;
  signal: AbortSignal;
  onUpdate(partialResult: AgentToolResult<BashDetails>): void;
}

/** Executes one call of `bash`. */
export async function runBash(
  { command, timeout, outsideSandbox }: BashParameters,
  call: BashCall,
): Promise<AgentToolResult<BashDetails>> {
  // The agent loop has checked this, but users of the library may call the tool directly.
  if (timeout !== undefined && !(timeout > 0)) {
    throw new ToolError(
      "invalid_arguments",
      `timeout must be more than 0 seconds, but is ${timeout}. Leave it out for the default.`,
    );
  }
  const { runProcess: run = runProcess, defaultTimeoutSeconds = 0 } = call;
  const { toolCallId, cwd, signal, onUpdate, onCommandOutput, separateStreams, commandKeeper, sandbox } = call;
  const timeoutSeconds = timeout ?? defaultTimeoutSeconds;
  const tail = new OutputTail();
  const updates = createThrottle(updateIntervalMs, () => {
    const { text, ...details } = tail.snapshot();
    onUpdate(toToolResult(text, details));
  });
  const start = () =>
    run({
      ...{ command, cwd, signal, toolCallId },
      ...(sandbox && outsideSandbox !== undefined && { outsideSandbox: true }),
      ...(separateStreams && { streams: "separate" }),
      ...(timeoutSeconds > 0 && { timeoutMs: timeoutSeconds * 1000 }),
      onOutput(text, stream) {
        onCommandOutput?.(toolCallId, stream, text);
        tail.append(text);
        updates.request();
      },
    });
  try {
    const advice = sandbox?.canAsk() ? leaveAdvice : "";
    if (!commandKeeper) return toFinalResult(await start(), { timeoutSeconds, advice });
    const { result, notKept } = await commandKeeper.around({ toolCallId, command, cwd }, start);
    const details = notKept === undefined ? {} : { changesNotKept: notKept };
    return toFinalResult({ ...result, ...details }, { timeoutSeconds, advice });
  } finally {
    updates.stop();
  }
}

function toFinalResult(
  { output, ...details }: ProcessResult & Pick<BashDetails, "changesNotKept">,
  { timeoutSeconds, advice }: { timeoutSeconds: number; advice: string },
): AgentToolResult<BashDetails> {
  const text = [output === "" ? "(no output)" : output, truncationNote(details)].filter((part) => part !== undefined).join("\n\n");
  const failure = describeFailure(details, timeoutSeconds);
  if (failure === undefined) return toToolResult(text, details);
  const refusal = details.refusal === undefined ? "" : ` ${details.refusal}${advice}`;
  throw new ToolError(failure.code, `${text.trimEnd()}\n\n${failure.text}${refusal}`, { details });
}

function toToolResult(text: string, details: BashDetails): AgentToolResult<BashDetails> {
  return { content: [{ type: "text", text }], details };
}

function describeFailure(
  { outcome, exitCode, exitSignal, survivors = [] }: Omit<ProcessResult, "output">,
  timeoutSeconds: number,
): { code: string; text: string } | undefined {
  const reason = "because they belong to another user or hang in the kernel";
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
