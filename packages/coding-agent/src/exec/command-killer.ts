import { killTree } from "./kill-tree.ts";
import type { SpawnedCommand } from "./spawn-command.ts";

/** The longest delay that a timer takes; a longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1;
/** After a kill the end of a command is seen at once, unless the kernel keeps a process or somebody else a pipe. */
const lastResortMs = 400;

export type KillReason = "timeout" | "aborted";

export interface CommandKillerOptions {
  /** By what the command's processes are known. */
  mark: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

/** Kills one command on abort or timeout, once. */
export class CommandKiller {
  /** The command is killed, and yet its end is not seen: the kernel keeps the process, or somebody else its pipe. */
  readonly gaveUp: Promise<void>;
  readonly #command: SpawnedCommand;
  readonly #mark: string;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onAbort = (): void => this.kill("aborted");
  readonly #giveUp: () => void;
  #lastResort: NodeJS.Timeout | undefined;
  #killed: { reason: KillReason; left: Promise<number[]> } | undefined;

  constructor(command: SpawnedCommand, { mark, signal, timeoutMs }: CommandKillerOptions) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gaveUp = promise;
    this.#giveUp = resolve;
    this.#command = command;
    this.#mark = mark;
    this.#signal = signal;
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.kill("timeout"), Math.min(timeoutMs, maxTimerMs));
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    // The start took a moment in which nobody listened.
    if (signal?.aborted) this.#onAbort();
  }

  kill(reason: KillReason): void {
    if (this.#killed) return;
    const left = killTree({ groups: new Set([this.#command.pid]), mark: this.#mark }).then((pids) => {
      this.#lastResort = setTimeout(this.#giveUp, lastResortMs);
      return pids;
    });
    this.#killed = { reason, left };
  }

  /** No kill is begun any more. Waits for one that is under way, and tells of it. */
  async end(): Promise<{ reason: KillReason; left: { survivors?: number[] } } | undefined> {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    const left = await this.#killed?.left;
    clearTimeout(this.#lastResort);
    return this.#killed && { reason: this.#killed.reason, left: left?.length ? { survivors: left } : {} };
  }
}
