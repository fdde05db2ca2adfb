import type { LocalProcessesOptions, LocalRunner } from "./local-runner.ts";
import type { ProcessRunner } from "./process-runner.ts";

export type { LocalProcessesOptions } from "./local-runner.ts";
export type { ProcessResult, ProcessRunner, RunProcessOptions } from "./process-runner.ts";

/** Runs commands on this machine, and knows what they leave behind. */
export interface LocalProcesses {
  /**
   * Runs a command to its end, with empty stdin and in its own process group. The result does not wait for background processes
   * that the command leaves behind: it comes when the output has been silent for 200 ms after the exit. Memory stays bounded. On
   * abort and timeout everything that the command started is killed, also what has left its group; see docs/bash.md for what that
   * is.
   *
   * @throws {ToolError} `cwd_missing`, `shell_missing`, `command_too_long` or `spawn_failed`. A failing command is not an error.
   */
  readonly run: ProcessRunner;
  /**
   * Ends everything that commands of this runner have started and that lives on: SIGTERM, and SIGKILL after 300 ms. For the end of
   * a session. It comes by itself, with SIGKILL, when this process ends. Never rejects.
   */
  stop(): Promise<void>;
}

/** A runner of its own for each session, so that the end of the session can be the end of its background processes. */
export function createLocalProcesses(options: LocalProcessesOptions = {}): LocalProcesses {
  // Loaded with the first command, which most processes run long after their start, if at all.
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

/** Runs commands on this machine with its environment. What they leave behind lives until this process ends. */
export const runProcess: ProcessRunner = createLocalProcesses().run;
