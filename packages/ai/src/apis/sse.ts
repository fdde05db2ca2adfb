import { createParser } from "eventsource-parser";
import { answerLimits } from "../answer-limits.ts";
import { networkError } from "../classify.ts";
import { AiError } from "../errors.ts";
import { IdleTimer } from "../idle-timer.ts";
import { ownTurn } from "../own-turn.ts";
import { cleanText, readErrorText } from "../provider-text.ts";
import { readBody } from "../read-body.ts";

/** One event of a provider's stream. */
export interface ServerSentEvent {
  /** Undefined when the server names its events only inside `data`. */
  event?: string | undefined;
  data: string;
}

export interface ReadOptions {
  /** The provider's name, for error messages. */
  provider: string;
  /** An abort closes the connection and ends the reading without an error. */
  signal?: AbortSignal | undefined;
  /** See `StreamOptions`. Default: 0, no limit. */
  idleTimeoutMs?: number | undefined;
  /** Maximum of one event in characters. Default: `answerLimits.eventLength`. */
  maxEventLength?: number | undefined;
  /** Maximum of the stream in bytes. Default: `answerLimits.streamBytes`. */
  maxBytes?: number | undefined;
}

/** From so many bytes on, the events of one read take milliseconds, so that they get a turn of the event loop of their own. */
const bulkBytes = 8192;

/** Limits of the data after the last event: `length` in bytes, `time` in milliseconds. */
const maxRest = { length: 65_536, time: 500 };

/**
 * Reads a streamed response and calls `onEvent` for each event, immediately and in order. Reading ends with the stream, when `onEvent`
 * returns true (the last event), or when it throws. After the last event the rest of the stream is read in the background, so that the
 * connection can be reused; if the server does not end the stream within `maxRest`, the connection is closed.
 *
 * @throws {AiError} `network` when the connection breaks or is idle for too long; `bad_response` when a successful response is JSON or
 *   HTML instead of a stream, or exceeds a limit.
 */
export async function readServerSentEvents(
  response: Response,
  onEvent: (event: ServerSentEvent) => boolean | undefined,
  options: ReadOptions,
): Promise<void> {
  const { provider, signal, idleTimeoutMs = 0 } = options;
  const { maxEventLength = answerLimits.eventLength, maxBytes = answerLimits.streamBytes } = options;
  const contentType = response.headers.get("content-type") ?? "";
  if (/\b(?:json|html)\b/i.test(contentType)) throw await noStream(response, contentType, options);
  const reader = response.body?.getReader();
  if (!reader) return;

  let bytes = 0;
  let tooLarge: AiError | undefined;
  let isStopped = false;
  let isComplete = false;
  const idle = new IdleTimer(idleTimeoutMs, () => stop());
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") tooLarge = overLimit(`an event of more than ${maxEventLength} characters`, provider);
    },
    onEvent: (event) => {
      if (!isPing(event)) idle.restart();
      // The parser reports every event of a chunk, even after we have stopped.
      if (!isStopped && onEvent(event) === true) isStopped = isComplete = true;
    },
  });
  const decoder = new TextDecoder();
  const stop = () => {
    isStopped = true;
    reader.cancel(signal?.reason).catch(() => {}); // the connection has already broken
  };
  if (signal?.aborted) return stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    while (!isStopped) {
      const { done, value } = await read(reader, provider);
      if (value && value.length >= bulkBytes) {
        idle.extend();
        await ownTurn();
      }
      if (idle.isOver) throw networkError(`no event arrived within ${idleTimeoutMs} ms`, provider);
      if (isStopped) break;
      idle.extend();
      bytes += value?.length ?? 0;
      if (bytes > maxBytes) throw overLimit(`more than ${maxBytes} bytes`, provider);
      // At the end, a blank line completes a last event that the server sent without one.
      parser.feed(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }));
      if (tooLarge) throw tooLarge;
      if (done) break;
    }
  } finally {
    idle.stop();
    signal?.removeEventListener("abort", stop);
    if (isComplete) void readRest(reader);
    else stop();
  }
}

/** Reads the data after the last event. If the body ends in time, the connection can be reused; otherwise it is closed. */
async function readRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const cancel = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(cancel, maxRest.time);
  timer.unref?.();
  try {
    for (let length = 0; length < maxRest.length; ) {
      const { done, value } = await reader.read();
      if (done) return;
      length += value.length;
    }
    cancel();
  } catch {
    // The connection broke after the complete answer.
  } finally {
    clearTimeout(timer);
  }
}

/** Anthropic sends keep-alive events. Other providers send comments, which the parser does not report. */
function isPing({ event, data }: ServerSentEvent): boolean {
  return event === "ping" || data === '{"type":"ping"}' || data === '{"type": "ping"}';
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>, provider: string) {
  try {
    return await reader.read();
  } catch (error) {
    throw networkError(error, provider);
  }
}

async function noStream(response: Response, contentType: string, { provider, signal }: ReadOptions): Promise<AiError> {
  const { bodyBytes: maxBytes, bodyMs: maxMs } = answerLimits;
  const { text } = await readBody(response.body, { maxBytes, maxMs, signal }).catch((error: unknown) => {
    throw networkError(error, provider);
  });
  const said = cleanText(readErrorText(text));
  // A retry does not help: the URL is wrong, or a proxy answers in place of the provider.
  const message = `${provider} answered ${response.status} with ${contentType} instead of a stream: ${said}`;
  return new AiError("bad_response", message, { status: response.status, retryable: false });
}

/** Not retryable: the next answer would most likely be as large. */
function overLimit(what: string, provider: string): AiError {
  return new AiError("bad_response", `${provider} sent ${what}, which is over the limit; the connection was closed.`, {
    retryable: false,
  });
}
