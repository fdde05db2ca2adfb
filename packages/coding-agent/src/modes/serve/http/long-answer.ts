import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { encodeInBatches } from "../../long-json.ts";
import { commonHeaders } from "./answer.ts";

/**
 * Sends a long JSON answer in chunks, as the client reads. So it is never in memory as a whole text. Resolves when it is written or the client has
 * left.
 *
 * @param value - Must not change until then.
 */
export async function sendLongJson(
  response: ServerResponse,
  value: object,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  response.writeHead(200, { ...commonHeaders, "content-type": "application/json", ...headers });
  try {
    await pipeline(encodeInBatches(value), response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}
