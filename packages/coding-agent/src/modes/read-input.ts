import type { Readable } from "node:stream";
import type { LineDecoder } from "../protocol/jsonl.ts";

/** An open input stream. */
export interface Input {
  /** Resolves at the end of the stream, and when the stream fails. */
  readonly end: Promise<void>;
  /** Stops reading and removes the listeners. */
  stop(): void;
}

/** Passes all bytes of a stream to a decoder. */
export function readInput(stream: Readable, decoder: LineDecoder): Input {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const onData = (chunk: Buffer | string) => decoder.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  const onEnd = () => {
    decoder.end();
    resolve();
  };
  // An error or a destroyed stream counts as the end, too.
  const onClose = () => resolve();
  stream.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
  if (stream.destroyed || stream.readableEnded) resolve();
  return {
    end,
    stop() {
      stream.off("data", onData).off("end", onEnd).off("close", onClose).pause();
    },
  };
}
