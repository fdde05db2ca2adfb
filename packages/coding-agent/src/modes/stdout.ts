import { fstatSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { type LinePiece, toBytes } from "../protocol/line-pieces.ts";
import { bun } from "../runtime.ts";
import { failureOf, isFull, untilRetry } from "./write-errors.ts";

/** Where text goes in order. */
export interface ByteSink {
  /** Takes text. A returned promise resolves when the sink wants more; it never rejects. */
  write(text: string): Promise<void> | undefined;
}

/** Where lines go that are made of pieces. */
export interface PieceSink {
  /** Takes pieces, whose bytes must not change from here on. What it returns is as in `ByteSink`. */
  write(pieces: readonly LinePiece[]): Promise<void> | undefined;
}

/** Where a protocol is written: file descriptor 1, or a stream. */
export interface OutputSink extends ByteSink, PieceSink {
  write(data: string | readonly LinePiece[]): Promise<void> | undefined;
  /** Resolves when nothing can be written any more. */
  readonly closed: Promise<void>;
  /** The code of the system error that made writing impossible, such as ENOSPC; undefined when the reader has just gone away. */
  readonly failure: string | undefined;
  /** Resolves when everything has been handed to the operating system. */
  end(): Promise<void>;
}

/**
 * Opens stdout for a protocol. A pipe is written without blocking: a reader that is slow must not stop the process, as it does with
 * `process.stdout`, which Node makes synchronous for pipes. From here on nothing else may write there, so `console.log`, its
 * relatives, and libraries that use `process.stdout` write to stderr.
 */
export async function openStdout(): Promise<OutputSink> {
  sendConsoleToStderr();
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true, enumerable: true });
  const info = fstatSync(1);
  if (!info.isFIFO() && !info.isSocket()) return openFile();
  if (bun) return (await import("./threaded-pipe.ts")).openThreadedPipe();
  return openWritable(new Socket({ fd: 1, readable: false, writable: true }));
}

/** `console` may have bound `process.stdout` already. The new one is made when it is used: opening stderr takes a twentieth of a start. */
function sendConsoleToStderr(): void {
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
 * A sink on a pipe, or any other stream. Its end ends the stream. Every wait is a promise of its own, which the next drain or the end settles:
 * `closed` would keep them all.
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

/** Hands over all pieces in one system call, where there is one. Returns whether the stream wants more. */
function writePieces(stream: Writable, data: string | readonly LinePiece[]): boolean {
  if (typeof data === "string") return stream.write(data);
  if (data.length === 1) return stream.write(data[0] as LinePiece);
  stream.cork();
  let wantsMore = true;
  for (const piece of data) wantsMore = stream.write(piece);
  stream.uncork();
  return wantsMore;
}

/** A file or a terminal: the kernel takes what it is given, but for a terminal that was made non-blocking and is full. */
function openFile(): OutputSink {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  let isClosed = false;
  let failure: string | undefined;
  /** Writes what can be written and returns the rest. */
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

/** Says on stderr, in one line, why stdout could not be written, if it could not. Returns whether that was so. */
export function reportFailure({ failure }: OutputSink): boolean {
  if (failure !== undefined) process.stderr.write(`Cannot write to stdout: ${failure}. The output is incomplete.\n`);
  return failure !== undefined;
}
