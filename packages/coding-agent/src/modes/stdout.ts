import { fstatSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { type LinePiece, toBytes } from "../protocol/line-pieces.ts";
import { bun } from "../runtime.ts";
import type { OutputSink } from "./output-sink.ts";
import { failureOf, isFull, untilRetry } from "./write-errors.ts";

/**
 * Opens stdout for a protocol. Pipes are written without blocking, so that a slow reader does not stop the process; `process.stdout` blocks,
 * because Node makes it synchronous for pipes. No other code may write to stdout afterwards: the methods of `console`, and libraries that use
 * `process.stdout`, write to stderr.
 */
export async function openStdout(): Promise<OutputSink> {
  sendConsoleToStderr();
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true, enumerable: true });
  const info = fstatSync(1);
  if (!info.isFIFO() && !info.isSocket()) return openFile();
  if (bun) return (await import("./threaded-pipe.ts")).openThreadedPipe();
  return openWritable(new Socket({ fd: 1, readable: false, writable: true }));
}

/**
 * Replaces `console`, which may already use the old `process.stdout`. The new console is created on first use, because opening stderr takes
 * a twentieth of the start time.
 */
export function sendConsoleToStderr(): void {
  const { Console } = console;
  let current: Console | undefined;
  Object.defineProperty(globalThis, "console", {
    get: () => (current ??= new Console(process.stderr, process.stderr)),
    set: (other: Console) => {
      current = other;
    },
    configurable: true,
    enumerable: false,
  });
}

/**
 * Creates a sink for a pipe or any other stream. `end` ends the stream. Each full write returns its own promise, settled by the next `drain`
 * or the end: racing with the long-lived `closed` would keep all of them in memory.
 */
export function openWritable(stream: Writable): OutputSink {
  let failure: string | undefined;
  let waiting: (() => void)[] = [];
  const release = () => {
    const released = waiting;
    waiting = [];
    for (const resolve of released) resolve();
  };
  stream.on("drain", release);
  stream.on("close", release);
  stream.on("error", release);
  const closed = new Promise<void>((resolve) => {
    stream.on("error", (error) => {
      failure = failureOf(error);
      resolve();
    });
    stream.on("close", () => resolve());
    if (stream.destroyed) resolve();
  });
  return {
    closed,
    get failure() {
      return failure;
    },
    write(data) {
      if (!stream.writable || writePieces(stream, data)) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
    async end() {
      if (!stream.writable) return;
      const flushed = new Promise<void>((resolve) => stream.end(resolve));
      await Promise.race([closed, flushed]);
    },
  };
}

/** Writes all pieces, in one system call if the stream supports it. Returns whether the stream has room for more. */
function writePieces(stream: Writable, data: string | readonly LinePiece[]): boolean {
  if (typeof data === "string") return stream.write(data);
  if (data.length === 1) return stream.write(data[0] as LinePiece);
  stream.cork();
  let hasRoom = true;
  for (const piece of data) hasRoom = stream.write(piece);
  stream.uncork();
  return hasRoom;
}

/** Creates a sink for a file or a terminal. The kernel accepts every write at once, except for a full terminal in non-blocking mode. */
function openFile(): OutputSink {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  let isClosed = false;
  let failure: string | undefined;
  /** Writes as many bytes as possible and returns the rest. */
  const writeSome = (bytes: Uint8Array): Uint8Array => {
    let rest = bytes;
    try {
      while (rest.length > 0 && !isClosed) rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (isFull(error)) return rest;
      isClosed = true;
      failure = failureOf(error);
      close();
    }
    return rest.subarray(rest.length);
  };
  const writeRest = async (bytes: Uint8Array) => {
    for (let rest = bytes; rest.length > 0; rest = writeSome(rest)) await untilRetry();
  };
  return {
    closed,
    get failure() {
      return failure;
    },
    write(data) {
      const rest = writeSome(typeof data === "string" ? Buffer.from(data) : Buffer.concat(data.map(toBytes)));
      return rest.length > 0 ? writeRest(rest) : undefined;
    },
    async end() {},
  };
}

/** Reports a failed write to stdout, as a line on stderr. Returns whether a write failed. */
export function reportFailure({ failure }: OutputSink): boolean {
  if (failure !== undefined) process.stderr.write(`Cannot write to stdout: ${failure}. The output is incomplete.\n`);
  return failure !== undefined;
}
