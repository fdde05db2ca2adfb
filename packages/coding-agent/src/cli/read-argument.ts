import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { FileError, fileLimits, readWhole, reasonOf, tooLargeError } from "@pikit/ai/files";
import { UsageError } from "../errors.ts";

/**
 * Reads what `@name` stands for: a regular file, or a pipe that the shell has opened for this process, as it does for `@<(command)` and for
 * `@/dev/stdin`. Another pipe is refused: nobody may ever write to it.
 *
 * @throws {UsageError} Exit code 1, naming what cannot be read.
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

/** The descriptor of this process that a path is the name of. */
function descriptorIn(path: string): number | undefined {
  if (path === "/dev/stdin") return 0;
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,5})$/.exec(path)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Opened by its number, since a thread that reads the path would be held until the writer's end. */
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
