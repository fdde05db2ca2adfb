import type { LocalProcessesOptions, LocalRunner } from "./local-runner.ts";
import type { ProcessRunner } from "./process-runner.ts";

export type { LocalProcessesOptions } from "./local-runner.ts";
export type { ProcessResult, ProcessRunner, RunProcessOptions } from "./process-runner.ts";

/** Runs commands on this machine, and keeps track of their background processes. */
export interface LocalProcesses {
  /**
   * Runs a command to its end, with empty stdin and in its own process group. The result does not wait for background processes of the
   * command: it comes after 200 ms without output after the exit. Memory is bounded. An abort or a timeout kills all processes that the
   * command started, also those that have left its group; see docs/bash.md for the details.
   *
   * @throws {ToolError} `cwd_missing`, `shell_missing`, `command_too_long` or `spawn_failed`. A failing command is not an error.
   */
  readonly run: ProcessRunner;
  /**
   * Ends all processes that commands of this runner have started: SIGTERM, then SIGKILL after 300 ms. For the end of a session. At the end of
   * this process it happens automatically, with SIGKILL. Never rejects.
   */
  stop(): Promise<void>;
}

/** Creates a runner. Each session has its own, so that its background processes end with the session. */
export function createLocalProcesses(options: LocalProcessesOptions = {}): LocalProcesses {
  // Loaded with the first command, which comes long after the start, if at all.
  let runner: Promise<LocalRunner> | undefined;
  return {
    async run(runOptions) {
      runner ??= import("./local-runner.ts").then(({ LocalRunner }) => new LocalRunner(options));
      return (await runner).run(runOptions);
    },
    async stop() {
      await (await runner)?.stop();
    },
  };
}

/** Runs commands on this machine with the environment of this process. Their background processes end with this process. */
export const runProcess: ProcessRunner = createLocalProcesses().run;
