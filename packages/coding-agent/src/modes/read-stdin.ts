import type { LineDecoder } from "../protocol/jsonl.ts";

/** Hands what comes on stdin to a decoder. Resolves at its end, and when it cannot be read any more. */
export function readStdin(decoder: LineDecoder): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.on("data", (chunk: Buffer) => decoder.push(chunk));
    process.stdin.on("end", () => {
      decoder.end();
      resolve();
    });
    process.stdin.on("error", () => resolve());
  });
}
