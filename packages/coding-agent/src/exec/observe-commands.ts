import type { ProcessResult, ProcessRunner, RunProcessOptions } from "./process-runner.ts";

/** A command that is about to run. */
export type ObservedCommand = Pick<RunProcessOptions, "command" | "cwd" | "toolCallId">;

/** Observes one command. */
export interface CommandProbe {
  /** Variables for the environment of the command. Only commands with an environment of this machine get them. */
  env?: Readonly<Record<string, string>>;
  /** Called when the command has ended, or could not be started. */
  ended?(outcome: { result: ProcessResult } | { error: unknown }): void;
}

/**
 * A runner whose commands are observed.
 *
 * @param observe - Called before each command. Must not throw.
 * @param isLocal - Whether the commands have an environment of this machine: then `env` is its default. Otherwise variables are added only to
 *   an environment that the caller of the runner gives.
 */
export function observeCommands(
  run: ProcessRunner,
  observe: (command: ObservedCommand) => CommandProbe | undefined,
  { isLocal, env: usual }: { isLocal: boolean; env?: NodeJS.ProcessEnv | undefined },
): ProcessRunner {
  return async (options) => {
    const { command, cwd, toolCallId } = options;
    const probe = observe({ command, cwd, ...(toolCallId === undefined ? {} : { toolCallId }) });
    if (!probe) return run(options);
    const env = options.env ?? (isLocal ? (usual ?? process.env) : undefined);
    try {
      const result = await run(env && probe.env ? { ...options, env: { ...env, ...probe.env } } : options);
      probe.ended?.({ result });
      return result;
    } catch (error) {
      probe.ended?.({ error });
      throw error;
    }
  };
}
