import { createParser } from "eventsource-parser";
import { EventMask } from "./event-mask.ts";
import type { CallLine, EventLine } from "./format.ts";
import { type MaskedText, maskText } from "./text-mask.ts";

/** Headers that affect the reading of a response. A recording leaves out all others. */
const keptHeaders = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

/** Statuses whose responses have no body. */
const emptyStatuses: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

export interface ResponseRecorderOptions {
  stream: number;
  masks: readonly MaskedText[];
  /** Milliseconds since the start of the call. */
  elapsed(): number;
  write(line: CallLine): void;
}

export interface RecordedResponse {
  /** The copy to read instead of the original. */
  response: Response;
  /** Ends the record when the reader stops: writes the waiting lines, and records nothing more. */
  finish(): void;
}

/** Records a response while it is read. */
export function recordResponse(response: Response, { stream, masks, elapsed, write }: ResponseRecorderOptions): RecordedResponse {
  const headers: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = maskText(name === "retry-after" ? toDuration(value) : value, masks);
  }
  write({ type: "response", stream, ms: elapsed(), status: response.status, headers });
  const { body, status, statusText } = response;
  if (!body || emptyStatuses.has(status)) {
    write({ type: "close", stream, ms: elapsed() });
    return { response, finish() {} };
  }
  const isEventStream = response.ok && !/\b(?:json|html)\b/i.test(headers["content-type"] ?? "");
  const sink = isEventStream
    ? createEventSink(new EventMask<EventLine>(masks, write), () => ({ type: "event", stream, ms: elapsed() }))
    : createTextSink((text) => write({ type: "body", stream, ms: elapsed(), text: maskText(text, masks) }));
  let isOver = false;
  const end = (type: Ending) => {
    if (isOver) return;
    isOver = true;
    sink.end(type);
    if (type !== "left") write({ type, stream, ms: elapsed() });
  };
  const copy = watch(body, sink, end);
  return { response: new Response(copy, { status, statusText, headers: response.headers }), finish: () => end("left") };
}

/** Converts a date to seconds from now, because a later replay cannot use a date. */
function toDuration(retryAfter: string): string {
  const date = /^\s*-?[\d.]+\s*$/.test(retryAfter) ? Number.NaN : Date.parse(retryAfter);
  return Number.isNaN(date) ? retryAfter : String(Math.max(0, Math.ceil((date - Date.now()) / 1000)));
}

/** The server ended the body, the connection broke, or the reader stopped. */
type Ending = "close" | "cut" | "left";

interface Sink {
  push(text: string): void;
  end(ending: Ending): void;
}

function createEventSink(mask: EventMask<EventLine>, start: () => Omit<EventLine, "data">): Sink {
  const parser = createParser({
    onEvent: ({ event, data }) => mask.push({ ...start(), ...(event !== undefined && { event }), data }),
  });
  return {
    push: (text) => parser.feed(text),
    end: (ending) => {
      if (ending === "close") parser.feed("\n\n"); // completes a last event that has no blank line
      mask.flush();
    },
  };
}

function createTextSink(write: (text: string) => void): Sink {
  const pieces: string[] = [];
  return { push: (text) => void pieces.push(text), end: () => write(pieces.join("")) };
}

/** Passes a body on only on demand, so that backpressure of a slow reader reaches the server. */
function watch(body: ReadableStream<Uint8Array>, sink: Sink, onEnd: (ending: Ending) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  /** Set on cancel, because cancelling also ends a pending read as if the server had ended the body. */
  let isLeft = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          if (!isLeft) onEnd("cut");
          throw error;
        });
        if (isLeft) return;
        sink.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
        if (!done) return controller.enqueue(value);
        onEnd("close");
        controller.close();
      },
      cancel(reason) {
        isLeft = true;
        onEnd("left");
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
