import { close } from "node:fs";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { bun } from "../runtime.ts";

/** The end of a pipe that is read. */
export interface PipeSource extends Readable {
  /** Lets the process end while nothing comes. Bun knows that of its own pipes only. */
  unref?(): unknown;
}

/**
 * Reads a pipe that was opened without blocking, and no faster than its reader wants it.
 *
 * @param fileDescriptor - Is closed with the end of the pipe.
 */
export function readPipe(fileDescriptor: number): PipeSource {
  if (!bun) return new Socket({ fd: fileDescriptor, readable: true, writable: false });
  // Bun's sockets cannot be made of a descriptor: nothing would ever come.
  const source = Readable.fromWeb(bun.file(fileDescriptor).stream() as ReadableStream);
  return source.once("close", () => close(fileDescriptor, () => undefined));
}
