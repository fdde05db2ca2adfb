import { close } from "node:fs";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { bun } from "../runtime.ts";

/** The read end of a pipe. */
export interface PipeSource extends Readable {
  /** Lets the process exit while the pipe is open. Bun supports this only for its own pipes. */
  unref?(): unknown;
}

/**
 * Reads a pipe that was opened in non-blocking mode, with backpressure.
 *
 * @param fileDescriptor - Closed at the end of the pipe.
 */
export function readPipe(fileDescriptor: number): PipeSource {
  if (!bun) return new Socket({ fd: fileDescriptor, readable: true, writable: false });
  // In Bun, a socket of a file descriptor never emits data.
  const source = Readable.fromWeb(bun.file(fileDescriptor).stream() as ReadableStream);
  return source.once("close", () => close(fileDescriptor, () => undefined));
}
