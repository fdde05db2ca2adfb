import type { ChildProcess, StdioOptions } from "node:child_process";
import { closeSync } from "node:fs";
import type { ProgramSearch } from "./find-program.ts";
import { type OutputPipe, takePipe } from "./pipe-pool.ts";
import type { PipeSource } from "./pipe-source.ts";

export type OutputStream = "stdout" | "stderr";

/**
 * `joined`: one pipe for stdout and stderr, so that their order is exact. `separate`: one pipe for each, so that they can be distinguished.
 */
export type OutputStreams = "joined" | "separate";

/** The pipes for the output of a command. */
export interface OutputChannels {
  /** stdout and stderr for `spawn`. */
  stdio: Exclude<StdioOptions, string>;
  /** The shell redirection that joins the streams; empty if none is needed. */
  redirection: string;
  /** The read ends, after the child was spawned. */
  sources(child: ChildProcess): [stream: OutputStream, pipe: PipeSource][];
  /** Closes our write ends, so that a pipe ends with its last writer. Called after the spawn, or its failure. */
  closeWriteEnds(): void;
  /** Closes the read ends if no child was spawned. */
  destroy(): void;
}

export async function openChannels(streams: OutputStreams, search: ProgramSearch): Promise<OutputChannels> {
  const pipes: OutputPipe[] = [];
  const count = streams === "joined" ? 1 : 2;
  while (pipes.length < count) {
    const pipe = await takePipe(search);
    if (!pipe) {
      closeWriteEnds(pipes);
      destroy(pipes);
      return sockets(streams);
    }
    pipes.push(pipe);
  }
  return {
    stdio: [pipes[0]?.writeEnd, pipes.at(-1)?.writeEnd],
    redirection: "",
    sources: () => pipes.map(({ source }, index) => [index === 0 ? "stdout" : "stderr", source]),
    closeWriteEnds: () => closeWriteEnds(pipes),
    destroy: () => destroy(pipes),
  };
}

/** The fallback without FIFOs: Node's sockets. A program without a shell then always has separate streams. */
function sockets(streams: OutputStreams): OutputChannels {
  return {
    stdio: ["pipe", "pipe"],
    redirection: streams === "joined" ? " 2>&1" : "",
    sources: ({ stdout, stderr }) => [
      ["stdout", stdout as PipeSource],
      ["stderr", stderr as PipeSource],
    ],
    closeWriteEnds: () => undefined,
    destroy: () => undefined,
  };
}

function closeWriteEnds(pipes: readonly OutputPipe[]): void {
  for (const { writeEnd } of pipes) closeSync(writeEnd);
}

function destroy(pipes: readonly OutputPipe[]): void {
  for (const { source } of pipes) source.destroy();
}
