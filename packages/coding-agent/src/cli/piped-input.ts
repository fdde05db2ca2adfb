import { fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import { fileLimits } from "@pikit/ai/files";
import { UsageError } from "../errors.ts";
import { writeError } from "../modes/terminal-text.ts";

/** If there is a prompt argument: milliseconds without data on a pipe before a notice is shown. */
const noticeAfterMs = 1000;
/** If there is a prompt argument: milliseconds without data on a socket before it is ignored. */
const giveUpAfterMs = 3000;

/** The input that is piped into the command. */
export interface PipedInput {
  stream: Readable;
  /**
   * Whether stdin is a socket. Node programs start child processes with a socket as stdin, and many of them never write to it or end it. A
   * shell uses a pipe, and ends it.
   */
  isSocket: boolean;
}

export function openStdin(): PipedInput {
  return { stream: process.stdin, isSocket: fstatSync(0).isSocket() };
}

/**
 * Reads the whole input. If there is another prompt, a socket without data is ignored after a timeout.
 *
 * @param options - `say`: called with notices for the user, one line each; default: writes to stderr.
 * @returns undefined if the input was ignored.
 * @throws {UsageError} With exit code 1, if the input is longer than a prompt may be.
 */
export function readPipedInput(
  { stream, isSocket }: PipedInput,
  { hasPrompt, say = writeError }: { hasPrompt: boolean; say?: (line: string) => void },
): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  const stop = () => {
    clearTimeout(timer);
    stream.off("data", onData).off("end", onEnd).off("error", onError);
  };
  let length = 0;
  const onData = (chunk: Buffer) => {
    clearTimeout(timer);
    chunks.push(chunk);
    length += chunk.length;
    if (length <= fileLimits.argument) return;
    stop();
    stream.pause();
    reject(
      new UsageError(
        "unreadable_file",
        `The piped input is longer than ${fileLimits.argument / 1024 / 1024} MiB. Give a file, which the agent can read in parts.`,
      ),
    );
  };
  const onEnd = () => {
    stop();
    resolve(Buffer.concat(chunks).toString("utf8").trimEnd());
  };
  const onError = (error: Error) => {
    stop();
    reject(error);
  };
  const giveUp = () => {
    stop();
    stream.pause();
    say(`No data on stdin for ${giveUpAfterMs / 1000} s. Continuing without it.`);
    resolve(undefined);
  };
  const notice = () => say("Waiting for the end of the piped input (close stdin to continue without it).");
  const timer = hasPrompt ? (isSocket ? setTimeout(giveUp, giveUpAfterMs) : setTimeout(notice, noticeAfterMs)) : undefined;
  stream.on("data", onData).on("end", onEnd).on("error", onError);
  // An `@file` argument may have read this stream already.
  if (stream.readableEnded || stream.destroyed) onEnd();
  return promise;
}
