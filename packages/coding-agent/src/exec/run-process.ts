import { MarkSeries } from "./command-mark.ts";
import type { ProcessRunner } from "./process-runner.ts";

export type { ProcessResult, ProcessRunner, RunProcessOptions } from "./process-runner.ts";

/** As much of one command's output as is stored. */
const maxOutputFileBytes = 1024 ** 3;

export interface LocalProcessesOptions {
  /** The environment of commands that are given none. Default: that of this process at the time. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Absolute path of the shell for shell commands: one that knows `-c`. Default: bash, or sh where there is none. */
  shellPath?: string | undefined;
  /** Bytes of one command's output that are stored in a file at most. Default: 1 GiB. */
  maxOutputFileBytes?: number | undefined;
}

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
  const marks = new MarkSeries();
  const groups = new Set<number>();
  return {
    async run(runOptions) {
      const mark = marks.next();
      const { runCommand, isOurGroup } = await loadRunner();
      return runCommand({
        ...(options.env && { env: options.env }),
        ...runOptions,
        mark,
        shellPath: options.shellPath,
        maxFileBytes: options.maxOutputFileBytes ?? maxOutputFileBytes,
        onSpawn(leaderPid) {
          for (const group of groups) if (!isOurGroup(group)) groups.delete(group);
          groups.add(leaderPid);
        },
      });
    },
    async stop() {
      if (!marks.isUsed) return;
      const { killTree, isOurGroup } = await loadRunner();
      await killTree({ groups: new Set([...groups].filter(isOurGroup)), mark: marks.prefix });
      groups.clear();
    },
  };
}

/** What runs commands, which most processes need long after their start, if at all. */
const loadRunner = () => import("./local-runner.ts");

/** Runs commands on this machine with its environment. What they leave behind lives until this process ends. */
export const runProcess: ProcessRunner = createLocalProcesses().run;
