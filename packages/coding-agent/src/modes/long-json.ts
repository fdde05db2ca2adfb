import { Breather } from "../exec/breather.ts";
import { encodeJsonPieces } from "../protocol/json-pieces.ts";

/** The length of one write in characters, about. */
const batchLength = 64 * 1024;

/**
 * Encodes a long value as `encodeJson` does, in batches for one write each, which are made when they are asked for. Other work of the process runs
 * between them. The value must not change until the last one.
 */
export async function* encodeInBatches(value: object): AsyncGenerator<string, void> {
  const breather = new Breather();
  let batch = "";
  for (const piece of encodeJsonPieces(value)) {
    batch += piece;
    if (breather.isDue) await breather.breathe();
    if (batch.length < batchLength) continue;
    yield batch;
    batch = "";
  }
  if (batch !== "") yield batch;
}
