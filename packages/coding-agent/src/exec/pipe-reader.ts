import type { OutputStream } from "./output-channels.ts";
import { type CollectedOutput, OutputCollector } from "./output-collector.ts";
import type { PipeSource } from "./pipe-source.ts";
import { leaderExited } from "./running-groups.ts";
import type { SpawnedCommand } from "./spawn-command.ts";

export interface PipeReaderOptions {
  /** Called with plain text as it arrives, until `end` has resolved. */
  onText(text: string, stream: OutputStream): void;
  /** Maximum bytes of output to store. */
  maxFileBytes: number;
}

/** Reads the pipes of a command into one output, not faster than the disk can store it. */
export class PipeReader {
  readonly #collector: OutputCollector;
  readonly #sources: SpawnedCommand["sources"];
  readonly #listeners: [pipe: PipeSource, onData: (chunk: Buffer) => void][] = [];
  #lastDataAt = 0;

  constructor(sources: SpawnedCommand["sources"], options: PipeReaderOptions) {
    this.#sources = sources;
    this.#collector = new OutputCollector({
      ...options,
      onDrain() {
        for (const [, pipe] of sources) pipe.resume();
      },
    });
    for (const [stream, pipe] of sources) {
      const onData = (chunk: Buffer) => this.#add(chunk, stream);
      this.#listeners.push([pipe, onData]);
      pipe.on("data", onData);
      // An error counts as the end of the pipe; `close` follows.
      pipe.on("error", () => undefined);
    }
  }

  /** The time of the last output, as `performance.now()`; the current time while the pipes are paused for the disk. */
  get lastActivityAt(): number {
    return this.#sources.some(([, pipe]) => pipe.isPaused()) ? performance.now() : this.#lastDataAt;
  }

  /** Stops collecting. The pipes are still read and their data dropped, so that background processes that write neither block nor die. */
  async end(): Promise<CollectedOutput> {
    for (const [pipe, onData] of this.#listeners) {
      pipe.off("data", onData);
      pipe.resume();
      pipe.unref?.();
    }
    return this.#collector.end();
  }

  #add(chunk: Buffer, stream: OutputStream): void {
    this.#lastDataAt = performance.now();
    if (this.#collector.add(chunk, stream)) return;
    for (const [, pipe] of this.#sources) pipe.pause();
  }
}

/** Resolves when the command has exited and its pipes are closed, or without data for `quietMs` while another process holds them. */
export async function untilOver(
  { process: child, pid, sources }: SpawnedCommand,
  reader: PipeReader,
  quietMs: number,
): Promise<void> {
  const closed = Promise.all(sources.map(([, pipe]) => new Promise((resolve) => pipe.once("close", resolve))));
  await new Promise<void>((resolve) => child.once("exit", () => resolve()));
  leaderExited(pid);
  const exitedAt = performance.now();
  const quiet = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    const remainingMs = Math.max(exitedAt, reader.lastActivityAt) + quietMs - performance.now();
    if (remainingMs <= 0) return quiet.resolve();
    // After a blocked event loop, timers run before input. `setImmediate` runs after the pipe was read.
    timer = setTimeout(() => setImmediate(check), remainingMs);
  };
  check();
  await Promise.race([closed, quiet.promise]);
  clearTimeout(timer);
}
