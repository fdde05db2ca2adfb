import { breathe } from "../exec/breathe.ts";
import { encodeJsonPieces } from "../protocol/json-pieces.ts";

/** The length of one write in characters, about. */
const batchLength = 64 * 1024;

/**
 * Encodes a long value as `encodeJson` does, in batches for one write each, which are made when they are asked for. Other work of the process runs
 * between them. The value must not change until the last one.
 */
export async function* encodeInBatches(value: object): AsyncGenerator<string, void> {
  let batch = "";
  for (const piece of encodeJsonPieces(value)) {
    batch += piece;
    const pause = breathe();
    if (pause !== undefined) await pause;
    if (batch.length < batchLength) continue;
    yield batch;
    batch = "";
  }
  if (batch !== "") yield batch;
}
