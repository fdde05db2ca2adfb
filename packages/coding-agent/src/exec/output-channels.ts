import type { ChildProcess, StdioOptions } from "node:child_process";
import { closeSync } from "node:fs";
import type { ProgramSearch } from "./find-program.ts";
import { type OutputPipe, takePipe } from "./pipe-pool.ts";
import type { PipeSource } from "./pipe-source.ts";

export type OutputStream = "stdout" | "stderr";

/**
 * `joined`: one pipe for both, so that their order is exact. `separate`: a pipe for each, so that it is known what came by which.
 */
export type OutputStreams = "joined" | "separate";

/** What a command's output goes through. */
export interface OutputChannels {
  /** stdout and stderr for `spawn`. */
  stdio: Exclude<StdioOptions, string>;
  /** What a shell has yet to do to join the streams, or nothing. */
  redirection: string;
  /** The ends to read, once the child has been spawned. */
  sources(child: ChildProcess): [stream: OutputStream, pipe: PipeSource][];
  /** The child has its ends, or never will: ours are closed, so that a pipe ends with its last writer. */
  closeWriteEnds(): void;
  /** There will be no child. */
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

/** Where there are no pipes. A program that is started without a shell keeps two then. */
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
