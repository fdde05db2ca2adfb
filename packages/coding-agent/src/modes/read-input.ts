import type { Readable } from "node:stream";
import type { LineDecoder } from "../protocol/jsonl.ts";

/** A stream that is being read. */
export interface Input {
  /** Resolves at its end, and when it cannot be read any more. */
  readonly end: Promise<void>;
  /** Leaves it alone from here on. */
  stop(): void;
}

/** Hands what comes in a stream to a decoder. */
export function readInput(stream: Readable, decoder: LineDecoder): Input {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const onData = (chunk: Buffer | string) => decoder.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  const onEnd = () => {
    decoder.end();
    resolve();
  };
  // An error, or a stream that was destroyed, is an end too.
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
