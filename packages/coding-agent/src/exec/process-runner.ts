import type { OutputStream, OutputStreams } from "./output-channels.ts";
import type { TailSnapshot } from "./output-tail.ts";

export interface RunProcessOptions {
  /** A shell command, run unchanged by bash (sh where there is none), or a program with its arguments. */
  command: string | readonly [program: string, ...args: string[]];
  /** Absolute path. */
  cwd: string;
  /** Default: that of the runner, or else of this process. */
  env?: NodeJS.ProcessEnv;
  /** Its abort kills the command and everything that it started. */
  signal?: AbortSignal;
  /** Default: no limit. */
  timeoutMs?: number;
  /**
   * `joined`: stdout and stderr in the exact order in which they were written, all of it told as `stdout`. `separate`: told apart,
   * and their order is that in which they were read. Default: `joined` for a shell command, `separate` for a program with
   * arguments.
   */
  streams?: OutputStreams;
  /**
   * Gets the output as it comes, as plain text. Not called after the promise has settled. When it throws, the command is killed and
   * the promise rejects with what was thrown.
   */
  onOutput?(text: string, stream: OutputStream): void;
}

/** How a command ended, and the last 2000 lines or 50 KB of its output as plain text. */
export interface ProcessResult extends Omit<TailSnapshot, "text"> {
  output: string;
  /** `timeout` and `aborted`: it was killed for that reason. */
  outcome: "exited" | "timeout" | "aborted";
  /** null when a signal ended it, or nothing was started. */
  exitCode: number | null;
  exitSignal: NodeJS.Signals | null;
  /** Only when truncated: a private file with every byte as the command wrote it, or with the first GiB of them. */
  fullOutputPath?: string;
  /** The file ends before the output does. */
  fullOutputCut?: true;
  /** Only when truncated and the file could not be written: why. */
  fullOutputError?: string;
  /** Only after a timeout or an abort: processes of the command that live on, since another user's or stuck in the kernel. */
  survivors?: number[];
}

/** What runs commands. A host may put a container or another machine behind it. */
export type ProcessRunner = (options: RunProcessOptions) => Promise<ProcessResult>;
