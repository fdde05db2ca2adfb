import { fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import { fileLimits } from "@pikit/ai/files";
import { UsageError } from "../errors.ts";
import { writeError } from "../modes/terminal-text.ts";

/** How long a pipe beside a prompt argument may be silent before we say that we wait for it. */
const noticeAfterMs = 1000;
/** How long a socket beside a prompt argument may be silent before we go on without it. */
const giveUpAfterMs = 3000;

/** What is piped into a command. */
export interface PipedInput {
  stream: Readable;
  /**
   * Whether it is a socket. That is what programs in Node give to those that they start, most of them without a thought of what is to come in it, and
   * never end it. A shell gives a pipe, and ends it.
   */
  isSocket: boolean;
}

export function openStdin(): PipedInput {
  return { stream: process.stdin, isSocket: fstatSync(0).isSocket() };
}

/**
 * Everything up to the end of the input. A socket that brings nothing is not waited for where there is a prompt without it.
 *
 * @param options - `say`: where a line goes for whoever wonders; default stderr.
 * @returns undefined when it was not waited for.
 * @throws {UsageError} Exit code 1, when it is longer than a prompt can be.
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
    say(`Nothing came on stdin in ${giveUpAfterMs / 1000} s: going on without it.`);
    resolve(undefined);
  };
  const notice = () => say("Waiting for the end of the piped input (close stdin to go on without it).");
  const timer = hasPrompt ? (isSocket ? setTimeout(giveUp, giveUpAfterMs) : setTimeout(notice, noticeAfterMs)) : undefined;
  stream.on("data", onData).on("end", onEnd).on("error", onError);
  // An `@file` argument may have been this very stream.
  if (stream.readableEnded || stream.destroyed) onEnd();
  return promise;
}
