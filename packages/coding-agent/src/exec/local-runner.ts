import { MarkSeries } from "./command-mark.ts";
import { killTree } from "./kill-tree.ts";
import type { ProcessResult, RunProcessOptions } from "./process-runner.ts";
import { runCommand } from "./run-command.ts";
import { isOurGroup } from "./running-groups.ts";

/** Maximum bytes of one command's output to store. */
const defaultMaxOutputFileBytes = 1024 ** 3;

export interface LocalProcessesOptions {
  /** The default environment of commands. Default: that of this process when the command starts. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Absolute path of a shell with the option `-c`, for shell commands. Default: bash, or sh if bash is missing. */
  shellPath?: string | undefined;
  /** Maximum bytes of one command's output to store in a file. Default: 1 GiB. */
  maxOutputFileBytes?: number | undefined;
}

/** The implementation of `LocalProcesses`: runs commands, and keeps track of their process groups. */
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
