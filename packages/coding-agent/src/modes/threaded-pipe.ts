import { write } from "node:fs";
import { toBytes } from "../protocol/line-pieces.ts";
import type { OutputSink } from "./output-sink.ts";
import { failureOf, isFull, untilRetry } from "./write-errors.ts";

/**
 * Opens a sink for a pipe on file descriptor 1. A thread of the runtime's pool writes to it, so that a slow reader does not block the process.
 * For Bun, where a socket of a file descriptor blocks.
 */
export function openThreadedPipe(): OutputSink {
  let failure: string | undefined;
  let isClosed = false;
  let waiting: Uint8Array[] = [];
  let writing: Promise<void> | undefined;
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const writeWaiting = async () => {
    try {
      while (waiting.length > 0 && !isClosed) {
        const bytes = Buffer.concat(waiting);
        waiting = [];
        await writeAll(bytes);
      }
    } catch (error) {
      isClosed = true;
      failure = failureOf(error);
      close();
    }
    writing = undefined;
  };
  return {
    closed,
    get failure() {
      return failure;
    },
    write(data) {
      if (isClosed) return undefined;
      for (const piece of typeof data === "string" ? [data] : data) waiting.push(toBytes(piece));
      writing ??= writeWaiting();
      return writing;
    },
    async end() {
      await writing;
    },
  };
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    try {
      rest = rest.subarray(await writeSome(rest));
    } catch (error) {
      if (!isFull(error)) throw error;
      await untilRetry();
    }
  }
}

function writeSome(bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(1, bytes, 0, bytes.length, null, (error, count) => (error ? reject(error) : resolve(count)));
  });
}
