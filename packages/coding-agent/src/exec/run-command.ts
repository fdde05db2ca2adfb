import { CommandKiller } from "./command-killer.ts";
import type { CommandContainer, EnteredCommand } from "./container.ts";
import type { OutputStream } from "./output-channels.ts";
import type { CollectedOutput } from "./output-collector.ts";
import { OutputTail } from "./output-tail.ts";
import { PipeReader, untilOver } from "./pipe-reader.ts";
import type { ProcessResult, RunProcessOptions } from "./process-runner.ts";
import { spawnCommand } from "./spawn-command.ts";

/** Milliseconds without output after the exit of the command until the result is complete, if a background process holds the pipes. */
const quietMs = 200;

/** The options of a command, with the settings of its runner. */
export interface RunCommandOptions extends RunProcessOptions {
  /** The mark that identifies the processes of the command. */
  mark: string;
  shellPath?: string | undefined;
  maxFileBytes: number;
  container: CommandContainer | undefined;
  /** Called when the command has started; the pid is also the id of its process group. */
  onSpawn(leaderPid: number, entered: EnteredCommand | undefined): void;
}

/**
 * Runs a command to its end. See `LocalProcesses.run`, which adds the settings of the runner.
 *
 * @throws {ToolError} `cwd_missing`, `shell_missing`, `command_too_long` or `spawn_failed`.
 */
export async function runCommand(options: RunCommandOptions): Promise<ProcessResult> {
  const { command, env = process.env, signal, onOutput } = options;
  const streams = options.streams ?? (typeof command === "string" ? "joined" : "separate");
  const spawned = signal?.aborted ? undefined : await spawnCommand({ ...options, env, streams });
  if (!spawned)
    return toResult({ ...new OutputTail().snapshot(), spooled: {} }, { outcome: "aborted", exitCode: null, exitSignal: null });
  options.onSpawn(spawned.pid, spawned.entered);

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
  const refusal = exitCode === 0 || killed ? undefined : spawned.entered?.explain(collected.text);
  return toResult(collected, {
    ...{ outcome: killed?.reason ?? "exited", exitCode, exitSignal: signalCode },
    ...killed?.left,
    ...(refusal === undefined ? {} : { refusal }),
  });
}

function toResult(
  { spooled, text, ...totals }: CollectedOutput,
  ending: Pick<ProcessResult, "outcome" | "exitCode" | "exitSignal" | "survivors" | "refusal">,
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
