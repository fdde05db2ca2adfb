import { killTree } from "./kill-tree.ts";
import type { CollectedOutput } from "./output-collector.ts";
import { OutputTail, type TailSnapshot } from "./output-tail.ts";
import { PipeReader, untilOver } from "./pipe-reader.ts";
import { type OutputStream, spawnCommand } from "./spawn-command.ts";

/** How long the pipes must be silent after the command has exited while a background process still holds them. */
const quietMs = 200;
/** The longest delay that a timer takes; a longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

export interface RunProcessOptions {
  /** A shell command, run unchanged by bash (sh where there is none), or a program with its arguments. */
  command: string | readonly [program: string, ...args: string[]];
  /** Absolute path. */
  cwd: string;
  /** Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
  /** Its abort kills the command and everything that it started. */
  signal?: AbortSignal;
  /** Default: no limit. */
  timeoutMs?: number;
  /**
   * Gets the output as it comes, as plain text. A shell command's streams share one pipe, so all of its output comes as `stdout`.
   * Not called after the promise has settled. When it throws, the command is killed and the promise rejects with what was thrown.
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
  /** Only when truncated: a private file with every byte as the command wrote it. */
  fullOutputPath?: string;
  /** Only when truncated and the file could not be written: why. */
  fullOutputError?: string;
}

/** What runs commands. A host may put a container or another machine behind it. */
export type ProcessRunner = (options: RunProcessOptions) => Promise<ProcessResult>;

/**
 * Runs a command to its end, with empty stdin and in its own process group. The result does not wait for background processes that
 * the command leaves behind: it comes when the output has been silent for 200 ms after the exit. Memory stays bounded.
 *
 * @throws {ToolError} `cwd_missing`, `shell_missing`, `command_too_long` or `spawn_failed`. A failing command is not an error.
 */
export const runProcess: ProcessRunner = async ({ command, cwd, env = process.env, signal, timeoutMs, onOutput }) => {
  const spawned = signal?.aborted ? undefined : await spawnCommand({ command, cwd, env, signal });
  if (!spawned)
    return toResult({ ...new OutputTail().snapshot(), spooled: {} }, { outcome: "aborted", exitCode: null, exitSignal: null });

  const end = Promise.withResolvers<void>();
  let killed: { reason: "timeout" | "aborted"; done: Promise<void> } | undefined;
  let lastResort: NodeJS.Timeout | undefined;
  const kill = (reason: "timeout" | "aborted") => {
    if (killed) return;
    const done = killTree(spawned.pid).then(() => {
      // The end is seen at once, unless the kernel keeps the process or somebody outside the group keeps its pipe.
      lastResort = setTimeout(end.resolve, 2 * quietMs);
    });
    killed = { reason, done };
  };
  const onAbort = () => kill("aborted");
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => kill("timeout"), Math.min(timeoutMs, maxTimerMs));
  signal?.addEventListener("abort", onAbort, { once: true });
  // The start took a moment in which nobody listened.
  if (signal?.aborted) onAbort();

  let listenerFailure: { error: unknown } | undefined;
  const onText = (text: string, stream: OutputStream) => {
    if (listenerFailure) return;
    try {
      onOutput?.(text, stream);
    } catch (error) {
      listenerFailure = { error };
      kill("aborted");
    }
  };
  const reader = new PipeReader(spawned.sources, onText);
  void untilOver(spawned, reader, quietMs).then(end.resolve);
  await end.promise;
  clearTimeout(timer);
  signal?.removeEventListener("abort", onAbort);
  await killed?.done;
  clearTimeout(lastResort);

  const collected = await reader.end();
  if (listenerFailure) throw listenerFailure.error;
  const { exitCode, signalCode } = spawned.process;
  return toResult(collected, { outcome: killed?.reason ?? "exited", exitCode, exitSignal: signalCode });
};

function toResult(
  { spooled, text, ...totals }: CollectedOutput,
  ending: Pick<ProcessResult, "outcome" | "exitCode" | "exitSignal">,
): ProcessResult {
  return {
    ...ending,
    output: text,
    ...totals,
    ...(spooled.path !== undefined && { fullOutputPath: spooled.path }),
    ...(spooled.error !== undefined && { fullOutputError: spooled.error }),
  };
}
