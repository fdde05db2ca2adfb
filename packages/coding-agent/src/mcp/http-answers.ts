import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { readBody } from "@pikit/ai";
import { EventScanner } from "./event-scanner.ts";

const mebi = 1024 ** 2;
/** Maximum bytes of a response, and of an event in a long-lived stream. */
const maxAnswerBytes = 64 * mebi;
/** The limits for the body of an error response. */
const errorLimits = { maxBytes: mebi / 16, maxMs: 10_000 };
/** Maximum milliseconds until the SDK has parsed the last events of a stream. */
const parserMs = 100;
/** Maximum number of ended streams to remember. Most of their requests are answered, but only the SDK knows which. */
const maxResumable = 256;

type RequestId = string | number;

/**
 * Makes sure that each request gets an answer of limited size. If the stream of a request ends and the SDK cannot resume it, the request fails.
 */
export class HttpAnswers {
  readonly #deliver: (message: JSONRPCMessage) => void;
  /** The requests of ended streams, by the id of the last event; undefined for streams that must not be resumed. */
  readonly #resumable = new Map<string, RequestId | undefined>();

  /** @param deliver - Receives an answer; must ignore answers to requests that are already answered. */
  constructor(deliver: (message: JSONRPCMessage) => void) {
    this.#deliver = deliver;
  }

  readonly fetch: FetchLike = async (input, init) => {
    const resumedFrom = new Headers(init?.headers).get("last-event-id");
    const isGivenUp = resumedFrom !== null && this.#resumable.has(resumedFrom) && this.#resumable.get(resumedFrom) === undefined;
    if (isGivenUp) return new Response(null, { status: noStream });
    const request = resumedFrom === null ? readRequest(init) : undefined;
    const id = request ? request.id : this.#resumable.get(resumedFrom ?? "");
    const response = await fetch(input, request ? withTrace(init, request.trace) : init);
    // The SDK treats this status as a server without such streams, and never settles the request.
    if (resumedFrom !== null && response.status === noStream) this.#fail(id);
    if (response.status >= 400) return readError(response);
    if (!response.body) return response;
    if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
      return new Response(this.#watch(response.body, id, init?.method === "POST"), response);
    }
    return new Response(response.body.pipeThrough(limitBytes(maxAnswerBytes)), response);
  };

  /** @param isAnswer - Whether the stream belongs to one request; the stream for server messages has no end. */
  #watch(body: ReadableStream<Uint8Array>, id: RequestId | undefined, isAnswer: boolean): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const scanner = new EventScanner(maxAnswerBytes);
    let bytes = 0;
    return new ReadableStream({
      pull: async (controller) => {
        let isTooLarge = false;
        try {
          const { value, done } = await reader.read();
          if (value) {
            isTooLarge = true;
            bytes += value.length;
            if (isAnswer && bytes > maxAnswerBytes) throw tooLarge();
            scanner.push(value);
            isTooLarge = false;
            controller.enqueue(value);
          }
          if (!done) return;
          controller.close();
        } catch (error) {
          controller.error(error);
          reader.cancel(error).catch(() => undefined); // the reader itself may have failed
        }
        this.#end(id, scanner.lastId, isTooLarge);
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  #end(id: RequestId | undefined, lastEventId: string | undefined, isTooLarge: boolean): void {
    const canResume = lastEventId !== undefined && !isTooLarge;
    if (lastEventId !== undefined) this.#remember(lastEventId, canResume ? id : undefined);
    if (!canResume) this.#fail(id);
  }

  #remember(lastEventId: string, id: RequestId | undefined): void {
    this.#resumable.delete(lastEventId);
    this.#resumable.set(lastEventId, id);
    for (const oldest of this.#resumable.keys()) {
      if (this.#resumable.size <= maxResumable) break;
      this.#resumable.delete(oldest);
    }
  }

  #fail(id: RequestId | undefined): void {
    if (id === undefined) return;
    const error = { code: ErrorCode.ConnectionClosed, message: "The connection ended before the result came" };
    setTimeout(() => this.#deliver({ jsonrpc: "2.0", id, error }), parserMs);
  }
}

/** The HTTP status of a server without such a stream. */
const noStream = 405;

async function readError(response: Response): Promise<Response> {
  const text = await readBody(response.body, errorLimits).then(
    (body) => body.text,
    () => "",
  );
  const { status, statusText, headers } = response;
  return new Response(text, { status, statusText, headers });
}

interface SentRequest {
  id: RequestId | undefined;
  /** The headers of the trace that is in `_meta`. */
  trace: Record<string, string>;
}

function readRequest(init: RequestInit | undefined): SentRequest {
  if (init?.method !== "POST" || typeof init.body !== "string") return { id: undefined, trace: {} };
  const { id, method, params } = JSON.parse(init.body) as {
    id?: RequestId;
    method?: string;
    params?: { _meta?: Record<string, unknown> };
  };
  const trace: Record<string, string> = {};
  for (const name of ["traceparent", "tracestate"]) {
    const value = params?._meta?.[name];
    if (typeof value === "string") trace[name] = value;
  }
  return { id: method === undefined ? undefined : id, trace };
}

function withTrace(init: RequestInit | undefined, trace: Record<string, string>): RequestInit | undefined {
  if (Object.keys(trace).length === 0) return init;
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(trace)) headers.set(name, value);
  return { ...init, headers };
}

function limitBytes(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
}

function tooLarge(): RangeError {
  return new RangeError(`the answer has more than ${maxAnswerBytes / mebi} MB`);
}
