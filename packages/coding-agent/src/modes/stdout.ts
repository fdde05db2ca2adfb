import { fstatSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import type { LinePiece } from "../protocol/line-pieces.ts";
import { bun } from "../runtime.ts";
import { openThreadedPipe, toBytes } from "./threaded-pipe.ts";
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

/** A sink on file descriptor 1. */
export interface Stdout extends ByteSink, PieceSink {
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
export function openStdout(): Stdout {
  sendConsoleToStderr();
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true, enumerable: true });
  const info = fstatSync(1);
  if (!info.isFIFO() && !info.isSocket()) return openFile();
  return bun ? openThreadedPipe() : openPipe();
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

/** A sink on a socket or pipe. Every wait is a promise of its own, which the next drain or the end settles: `closed` would keep them all. */
export function openPipe(socket: Socket = new Socket({ fd: 1, readable: false, writable: true })): Stdout {
  let failure: string | undefined;
  let waiting: (() => void)[] = [];
  const release = () => {
    const released = waiting;
    waiting = [];
    for (const resolve of released) resolve();
  };
  socket.on("drain", release);
  socket.on("close", release);
  const closed = new Promise<void>((resolve) => {
    socket.on("error", (error) => {
      failure = failureOf(error);
      resolve();
    });
    socket.on("close", () => resolve());
  });
  return {
    closed,
    get failure() {
      return failure;
    },
    write(data) {
      if (socket.destroyed || writePieces(socket, data)) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
    async end() {
      if (socket.destroyed) return;
      const flushed = new Promise<void>((resolve) => socket.end(resolve));
      await Promise.race([closed, flushed]);
    },
  };
}

/** Hands over all pieces in one system call. Returns whether the socket wants more. */
function writePieces(socket: Socket, data: string | readonly LinePiece[]): boolean {
  if (typeof data === "string") return socket.write(data);
  if (data.length === 1) return socket.write(data[0] as LinePiece);
  socket.cork();
  let wantsMore = true;
  for (const piece of data) wantsMore = socket.write(piece);
  socket.uncork();
  return wantsMore;
}

/** A file or a terminal: the kernel takes what it is given, but for a terminal that was made non-blocking and is full. */
function openFile(): Stdout {
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
export function reportFailure({ failure }: Stdout): boolean {
  if (failure !== undefined) process.stderr.write(`Cannot write to stdout: ${failure}. The output is incomplete.\n`);
  return failure !== undefined;
}
