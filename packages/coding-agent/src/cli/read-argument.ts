import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { FileError, fileLimits, readWhole, reasonOf, tooLargeError } from "@pikit/ai/files";
import { UsageError } from "../errors.ts";

/**
 * Reads the file of an `@name` argument: a regular file, or a pipe that the shell opened for this process, as for `@<(command)` and
 * `@/dev/stdin`. Other pipes are refused, because they may never get a writer.
 *
 * @throws {UsageError} With exit code 1; the message names the file.
 */
export async function readArgument(name: string, cwd: string): Promise<Buffer> {
  const path = resolve(cwd, name);
  try {
    const descriptor = descriptorIn(path);
    const pipe = descriptor === undefined ? undefined : openPipe(descriptor);
    return await (pipe ? readAll(pipe, path) : readWhole(path, fileLimits.argument));
  } catch (cause) {
    const isPipe = cause instanceof FileError && cause.code === "EFTYPE";
    const advice = isPipe ? "Give a file, or pipe it to stdin." : "Give the path of a file.";
    throw new UsageError("unreadable_file", `Cannot read @${name}: ${reasonOf(cause)}. ${advice}`);
  }
}

/** The file descriptor of this process in a path such as `/dev/fd/3`; undefined for other paths. */
function descriptorIn(path: string): number | undefined {
  if (path === "/dev/stdin") return 0;
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,5})$/.exec(path)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Opens a pipe by its descriptor: reading it by its path would block a thread until the writer ends. */
function openPipe(descriptor: number): Readable | undefined {
  const stats = fstatSync(descriptor);
  if (!stats.isFIFO() && !stats.isSocket()) return undefined;
  return descriptor === 0 ? process.stdin : new Socket({ fd: descriptor, readable: true, writable: false });
}

async function readAll(pipe: Readable, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of pipe) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > fileLimits.argument) throw tooLargeError(path, fileLimits.argument);
  }
  return Buffer.concat(chunks);
}
