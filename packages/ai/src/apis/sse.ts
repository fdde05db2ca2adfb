import { createParser } from "eventsource-parser";
import { answerLimits } from "../answer-limits.ts";
import { networkError } from "../classify.ts";
import { AiError } from "../errors.ts";
import { IdleTimer } from "../idle-timer.ts";
import { cleanText, readErrorText } from "../provider-text.ts";
import { readBody } from "../read-body.ts";

/** One event of a provider's stream. */
export interface ServerSentEvent {
  /** Absent where the server names its events inside `data` only. */
  event?: string | undefined;
  data: string;
}

export interface ReadOptions {
  /** Names the provider in errors. */
  provider: string;
  /** Cancels the body, which closes the connection. Reading then ends without an error. */
  signal?: AbortSignal | undefined;
  /** See `StreamOptions`. Default 0: no limit. */
  idleTimeoutMs?: number | undefined;
  /** See `answerLimits`, which is the default. */
  maxEventLength?: number | undefined;
  /** The same. */
  maxBytes?: number | undefined;
}

/** What may follow the last event, in bytes, and how long it may take, in milliseconds. */
const maxRest = { length: 65_536, time: 500 };

/**
 * Reads a streamed response to its end and calls `onEvent` for each event, at once and in order. When `onEvent` returns true the stream
 * is over, even if the server would keep it open: what little may follow is read beside, so that the connection can be used again, and a
 * server that does not end it in time loses the connection. What `onEvent` throws ends the reading too.
 *
 * @throws {AiError} `network` when the connection breaks or is idle for too long; `bad_response` when a success is JSON or a page instead of
 *   a stream, or larger than it may be.
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
      // The parser goes on with what it was fed, whatever we have seen in it.
      if (!isStopped && onEvent(event) === true) isStopped = isComplete = true;
    },
  });
  const decoder = new TextDecoder();
  const stop = () => {
    isStopped = true;
    reader.cancel(signal?.reason).catch(() => {}); // already broken: nothing is left to cancel
  };
  if (signal?.aborted) return stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    while (!isStopped) {
      const { done, value } = await read(reader, provider);
      if (idle.isOver) throw networkError(`no event arrived within ${idleTimeoutMs} ms`, provider);
      if (isStopped) break;
      idle.extend();
      bytes += value?.length ?? 0;
      if (bytes > maxBytes) throw overLimit(`more than ${maxBytes} bytes`, provider);
      // Past the end, the blank line completes a last event that the server left without one.
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

/** Reads what follows the last event: the connection is kept for the next request if the body ends, and closed otherwise. */
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
    // The answer is complete; a connection that breaks now takes nothing with it.
  } finally {
    clearTimeout(timer);
  }
}

/** Anthropic names its signs of life; elsewhere they are comments, which are no events at all. */
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
  // Waiting does not help: the address is wrong, or something between us and the provider answers in its place.
  const message = `${provider} answered ${response.status} with ${contentType} instead of a stream: ${said}`;
  return new AiError("bad_response", message, { status: response.status, retryable: false });
}

/** Asking again would most likely bring as much again. */
function overLimit(what: string, provider: string): AiError {
  return new AiError("bad_response", `${provider} sent ${what}, which is no answer; the connection was closed.`, {
    retryable: false,
  });
}
