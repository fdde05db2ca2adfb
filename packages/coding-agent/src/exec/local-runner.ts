import { MarkSeries } from "./command-mark.ts";
import { killTree } from "./kill-tree.ts";
import type { ProcessResult, RunProcessOptions } from "./process-runner.ts";
import { runCommand } from "./run-command.ts";
import { isOurGroup } from "./running-groups.ts";

/** As much of one command's output as is stored. */
const defaultMaxOutputFileBytes = 1024 ** 3;

export interface LocalProcessesOptions {
  /** The environment of commands that are given none. Default: that of this process at the time. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Absolute path of the shell for shell commands: one that knows `-c`. Default: bash, or sh where there is none. */
  shellPath?: string | undefined;
  /** Bytes of one command's output that are stored in a file at most. Default: 1 GiB. */
  maxOutputFileBytes?: number | undefined;
}

/** Carries out what `LocalProcesses` offers: runs commands, and keeps the process groups that they leave behind. */
export class LocalRunner {
  readonly #options: LocalProcessesOptions;
  readonly #marks = new MarkSeries();
  readonly #groups = new Set<number>();

  constructor(options: LocalProcessesOptions) {
    this.#options = options;
  }

  run(options: RunProcessOptions): Promise<ProcessResult> {
    const { env, shellPath, maxOutputFileBytes = defaultMaxOutputFileBytes } = this.#options;
    return runCommand({
      ...(env && { env }),
      ...options,
      mark: this.#marks.next(),
      shellPath,
      maxFileBytes: maxOutputFileBytes,
      onSpawn: (leaderPid) => {
        for (const group of this.#groups) if (!isOurGroup(group)) this.#groups.delete(group);
        this.#groups.add(leaderPid);
      },
    });
  }

  async stop(): Promise<void> {
    if (!this.#marks.isUsed) return;
    await killTree({ groups: new Set([...this.#groups].filter(isOurGroup)), mark: this.#marks.prefix });
    this.#groups.clear();
  }
}
