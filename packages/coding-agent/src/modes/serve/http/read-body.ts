import type { IncomingMessage, ServerResponse } from "node:http";
import { isTooDeep, maxNesting } from "@pikit/ai";
import { HttpError, retrySoon } from "./http-error.ts";

/** Levels around the fields of a record, whose own depth is checked by the command. */
const bodyLevels = maxNesting + 8;

/** Maximum bytes of all bodies that are being read at the same time. */
const maxOpenBytes = 256 * 1024 * 1024;

/** Reads the bodies of requests, each up to its own limit, and all together up to 256 MiB. */
export class BodyReader {
  #openBytes = 0;

  /**
   * Reads a body that is one JSON object.
   *
   * @throws {HttpError} `unsupported_media_type`, `too_large`, `too_many`; `bad_request` when it is not a JSON object, or nested too deep.
   */
  async readObject(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<Record<string, unknown>> {
    checkType(request);
    const bytes = await this.#read(request, response, maxBytes);
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      throw new HttpError("bad_request", "The body is not valid JSON in UTF-8. Send one JSON object.");
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new HttpError("bad_request", "The body must be a JSON object.");
    }
    if (isTooDeep(value, bodyLevels)) {
      throw new HttpError("bad_request", `The body must not be nested more than ${maxNesting} levels deep.`);
    }
    return value as Record<string, unknown>;
  }

  async #read(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<Buffer> {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared > maxBytes) throw tooLarge(maxBytes);
    if (this.#openBytes + declared > maxOpenBytes) throw tooMuch();
    // The client waits for this before it sends the body.
    if (request.headers.expect !== undefined) response.writeContinue();
    const pieces: Buffer[] = [];
    let length = 0;
    try {
      for await (const piece of request as AsyncIterable<Buffer>) {
        length += piece.length;
        this.#openBytes += piece.length;
        if (length > maxBytes) throw tooLarge(maxBytes);
        if (this.#openBytes > maxOpenBytes) throw tooMuch();
        pieces.push(piece);
      }
    } catch (error) {
      if (error instanceof HttpError) throw error;
      throw new HttpError("bad_request", "The connection ended before the body was complete.");
    } finally {
      this.#openBytes -= length;
    }
    return Buffer.concat(pieces, length);
  }
}

function checkType({ headers }: IncomingMessage): void {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const isUtf8 = parameters.every((parameter) => !/^\s*charset=/.test(parameter) || /=\s*"?utf-?8"?\s*$/.test(parameter));
  const isPlain = (headers["content-encoding"] ?? "identity") === "identity";
  if (type.trim() === "application/json" && isUtf8 && isPlain) return;
  throw new HttpError(
    "unsupported_media_type",
    "The body must be JSON in UTF-8 without compression: send content-type: application/json.",
  );
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError("too_large", `The body is larger than ${maxBytes} bytes. Send a smaller one.`);
}

function tooMuch(): HttpError {
  return new HttpError("too_many", "The server reads too many large bodies at the moment. Try again.", retrySoon);
}
