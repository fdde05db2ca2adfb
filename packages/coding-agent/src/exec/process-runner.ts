import type { OutputStream, OutputStreams } from "./output-channels.ts";
import type { TailSnapshot } from "./output-tail.ts";

export interface RunProcessOptions {
  /** A shell command, run unchanged by bash (or sh if bash is missing), or a program with its arguments. */
  command: string | readonly [program: string, ...args: string[]];
  /** Absolute path. */
  cwd: string;
  /** The tool call that runs the command; undefined for other commands. */
  toolCallId?: string;
  /** Default: the environment of the runner, otherwise of this process. */
  env?: NodeJS.ProcessEnv;
  /** Whether the command runs without the sandbox that others have. The caller has asked the user. Default false. */
  outsideSandbox?: boolean;
  /** An abort kills the command and all processes that it started. */
  signal?: AbortSignal;
  /** Default: no limit. */
  timeoutMs?: number;
  /**
   * `joined`: stdout and stderr in the exact order in which they were written, both reported as `stdout`. `separate`: reported by stream, in the
   * order in which they were read. Default: `joined` for a shell command, `separate` for a program with arguments.
   */
  streams?: OutputStreams;
  /**
   * Called with the output as it arrives, as plain text; not after the promise has settled. If it throws, the command is killed and the
   * promise rejects with that error.
   */
  onOutput?(text: string, stream: OutputStream): void;
}

/** The result of a command, with the last 2000 lines or 50 KB of its output as plain text. */
export interface ProcessResult extends Omit<TailSnapshot, "text"> {
  output: string;
  /** `timeout` and `aborted`: the reason why the command was killed. */
  outcome: "exited" | "timeout" | "aborted";
  /** null if a signal ended the command, or it was not started. */
  exitCode: number | null;
  exitSignal: NodeJS.Signals | null;
  /** Only if truncated: a private file with the raw output of the command, up to 1 GiB by default. */
  fullOutputPath?: string;
  /** Whether the file lacks the end of the output. */
  fullOutputCut?: true;
  /** Only if truncated and the file could not be written: the reason. */
  fullOutputError?: string;
  /** Only after a timeout or an abort: pids of processes that could not be killed; they belong to another user or hang in the kernel. */
  survivors?: number[];
  /** Only if the command has failed, probably because the sandbox has refused something: a sentence that says what. */
  refusal?: string;
}

/** Runs a command. A host may implement it with a container or another machine. */
export type ProcessRunner = (options: RunProcessOptions) => Promise<ProcessResult>;
