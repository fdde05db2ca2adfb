import { killTree } from "./kill-tree.ts";
import type { SpawnedCommand } from "./spawn-command.ts";

/** The maximum delay of a timer; a timer with a longer delay fires at once. */
const maxTimerMs = 2 ** 31 - 1;
/** Milliseconds to wait for the end of a killed command. It comes at once, unless a process hangs in the kernel, or a foreign process holds a pipe. */
const lastResortMs = 400;

export type KillReason = "timeout" | "aborted";

export interface CommandKillerOptions {
  /** The mark that identifies the processes of the command. */
  mark: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

/** Kills a command once, on abort or timeout. */
export class CommandKiller {
  /** Resolves when the command was killed but has not ended in time: a process hangs in the kernel, or a foreign process holds a pipe. */
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
    // An abort during the start of the command was before this listener.
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

  /** Prevents later kills. Waits for a running kill, and returns its reason and the survivors. */
  async end(): Promise<{ reason: KillReason; left: { survivors?: number[] } } | undefined> {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    const left = await this.#killed?.left;
    clearTimeout(this.#lastResort);
    return this.#killed && { reason: this.#killed.reason, left: left?.length ? { survivors: left } : {} };
  }
}
