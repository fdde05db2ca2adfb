import { setTimeout as sleep } from "node:timers/promises";
import { MarkSeries } from "./command-mark.ts";
import type { CommandContainer } from "./container.ts";
import { killTree } from "./kill-tree.ts";
import type { ProcessResult, RunProcessOptions } from "./process-runner.ts";
import { ProcessSearch } from "./process-search.ts";
import { runCommand } from "./run-command.ts";
import { forgetEndedGroup, forgetGroup, isOurGroup } from "./running-groups.ts";

/** Maximum bytes of one command's output to store. */
const defaultMaxOutputFileBytes = 1024 ** 3;

/** Milliseconds of the pauses in which the last processes of a container end; usually one is enough. */
const settlingMs = [1, 2, 4, 8, 16, undefined];

export interface LocalProcessesOptions {
  /** The default environment of commands. Default: that of this process when the command starts. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Absolute path of a shell with the option `-c`, for shell commands. Default: bash, or sh if bash is missing. */
  shellPath?: string | undefined;
  /** Maximum bytes of one command's output to store in a file. Default: 1 GiB. */
  maxOutputFileBytes?: number | undefined;
  /** Something around all commands, such as a sandbox. Default: none. */
  container?: CommandContainer | undefined;
}

/** The implementation of `LocalProcesses`: runs commands, and keeps track of their process groups. */
export class LocalRunner {
  readonly #options: LocalProcessesOptions;
  readonly #marks = new MarkSeries();
  /** The process groups that may have members, and what to call when they have none. */
  readonly #groups = new Map<number, (() => void) | undefined>();

  constructor(options: LocalProcessesOptions) {
    this.#options = options;
  }

  async run(options: RunProcessOptions): Promise<ProcessResult> {
    let started: number | undefined;
    const { env, shellPath, container, maxOutputFileBytes = defaultMaxOutputFileBytes } = this.#options;
    try {
      return await runCommand({
        ...(env && { env }),
        ...options,
        mark: this.#marks.next(),
        shellPath,
        container: options.outsideSandbox === true ? undefined : container,
        maxFileBytes: maxOutputFileBytes,
        onSpawn: (leaderPid, entered) => {
          started = leaderPid;
          this.#forgetEnded();
          this.#groups.set(leaderPid, entered && (() => entered.leave()));
        },
      });
    } finally {
      if (container && started !== undefined) await this.#settle(started);
    }
  }

  async stop(): Promise<void> {
    if (!this.#marks.isUsed) return;
    await killTree({ groups: new Set([...this.#groups.keys()].filter(isOurGroup)), mark: this.#marks.prefix });
    for (const group of this.#groups.keys()) this.#forget(group);
  }

  /** Waits a little for the last processes of a container, which end after the command, and tells the container. */
  async #settle(group: number): Promise<void> {
    // The last process of a group is soon a zombie, for which the system's first process takes its time.
    const search = new ProcessSearch({ groups: new Set([group]), mark: "none" });
    for (const ms of settlingMs) {
      if (!isOurGroup(group)) return this.#forget(group);
      if ((await search.find())?.length === 0) break;
      if (ms === undefined) return;
      await sleep(ms);
    }
    forgetGroup(group);
    this.#forget(group);
  }

  #forget(group: number): void {
    const onEnd = this.#groups.get(group);
    this.#groups.delete(group);
    forgetEndedGroup(group);
    onEnd?.();
  }

  #forgetEnded(): void {
    for (const group of this.#groups.keys()) {
      if (!isOurGroup(group)) this.#forget(group);
    }
  }
}
