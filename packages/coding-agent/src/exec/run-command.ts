import { CommandKiller } from "./command-killer.ts";
import type { OutputStream } from "./output-channels.ts";
import type { CollectedOutput } from "./output-collector.ts";
import { OutputTail } from "./output-tail.ts";
import { PipeReader, untilOver } from "./pipe-reader.ts";
import type { ProcessResult, RunProcessOptions } from "./process-runner.ts";
import { spawnCommand } from "./spawn-command.ts";

/** How long the pipes must be silent after the command has exited while a background process still holds them. */
const quietMs = 200;

/** What a runner of this machine runs commands with. */
export interface RunCommandOptions extends RunProcessOptions {
  /** By what the command's processes are known. */
  mark: string;
  shellPath?: string | undefined;
  maxFileBytes: number;
  /** The command has begun; its group has this number. */
  onSpawn(leaderPid: number): void;
}

/**
 * Runs a command to its end. See `runProcess`, which is this with the settings of a runner.
 *
 * @throws {ToolError} `cwd_missing`, `shell_missing`, `command_too_long` or `spawn_failed`.
 */
export async function runCommand(options: RunCommandOptions): Promise<ProcessResult> {
  const { command, env = process.env, signal, onOutput } = options;
  const streams = options.streams ?? (typeof command === "string" ? "joined" : "separate");
  const spawned = signal?.aborted ? undefined : await spawnCommand({ ...options, env, streams });
  if (!spawned)
    return toResult({ ...new OutputTail().snapshot(), spooled: {} }, { outcome: "aborted", exitCode: null, exitSignal: null });
  options.onSpawn(spawned.pid);

  const killer = new CommandKiller(spawned, options);
  let listenerFailure: { error: unknown } | undefined;
  const onText = (text: string, stream: OutputStream) => {
    if (listenerFailure) return;
    try {
      onOutput?.(text, stream);
    } catch (error) {
      listenerFailure = { error };
      killer.kill("aborted");
    }
  };
  const reader = new PipeReader(spawned.sources, { onText, maxFileBytes: options.maxFileBytes });
  await Promise.race([untilOver(spawned, reader, quietMs), killer.gaveUp]);
  const killed = await killer.end();

  const collected = await reader.end();
  if (listenerFailure) throw listenerFailure.error;
  const { exitCode, signalCode } = spawned.process;
  return toResult(collected, { outcome: killed?.reason ?? "exited", exitCode, exitSignal: signalCode, ...killed?.left });
}

function toResult(
  { spooled, text, ...totals }: CollectedOutput,
  ending: Pick<ProcessResult, "outcome" | "exitCode" | "exitSignal" | "survivors">,
): ProcessResult {
  return {
    ...ending,
    output: text,
    ...totals,
    ...(spooled.path !== undefined && { fullOutputPath: spooled.path }),
    ...(spooled.isCut && { fullOutputCut: true }),
    ...(spooled.error !== undefined && { fullOutputError: spooled.error }),
  };
}
