import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** The bytes of one answer. */
const maxAnswerBytes = 64 * 1024 ** 2;
/** How long the last events of a stream may take through the parser. */
const parserMs = 100;
/** How long the goodbye to a session may take. */
const goodbyeMs = 1000;

export interface HttpTransportOptions {
  url: URL;
  headers: Readonly<Record<string, string>>;
}

/** A server that speaks streamable HTTP. */
export class HttpTransport extends StreamableHTTPClientTransport {
  #isClosed = false;

  constructor({ url, headers }: HttpTransportOptions) {
    super(url, {
      requestInit: { headers: { ...headers } },
      fetch: (input, init) => watchAnswer(input, init, (message) => this.onmessage?.(message)),
    });
  }

  /** Says goodbye to the session, if there is one, and ends all requests. */
  override async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.sessionId !== undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, goodbyeMs);
      // A server that does not answer forgets the session by itself.
      await Promise.race([this.terminateSession().catch(() => undefined), promise]);
      clearTimeout(timer);
    }
    await super.close();
  }

  /** How the connection ended. */
  describeEnd(): string {
    return "the connection ended";
  }
}

/** A fetch that sees to it that every request is answered: when its stream ends and cannot be resumed, the request has failed. */
async function watchAnswer(
  input: string | URL,
  init: RequestInit | undefined,
  deliver: (message: JSONRPCMessage) => void,
): ReturnType<FetchLike> {
  const response = await fetch(input, init);
  const id = requestId(init);
  if (id === undefined || !response.ok || !response.body) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const body = response.body.pipeThrough(limitBytes(maxAnswerBytes));
  if (!isStream) return new Response(body, response);
  const onEnd = () => {
    const error = { code: ErrorCode.ConnectionClosed, message: "The connection ended before the result came" };
    // One that has been answered is not answered again.
    setTimeout(() => deliver({ jsonrpc: "2.0", id, error }), parserMs);
  };
  return new Response(watchEnd(body, onEnd), response);
}

function requestId(init: RequestInit | undefined): string | number | undefined {
  if (init?.method !== "POST" || typeof init.body !== "string") return undefined;
  const { id, method } = JSON.parse(init.body) as { id?: string | number; method?: string };
  return method === undefined ? undefined : id;
}

function limitBytes(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes) controller.error(new RangeError(`the answer has more than ${maxBytes / 1024 ** 2} MB`));
      else controller.enqueue(chunk);
    },
  });
}

/** Calls `onEnd` when a stream has ended or failed, unless it had event ids, with which the SDK resumes it. */
function watchEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let hasIds = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (value) {
          hasIds ||= /^id:/m.test(Buffer.from(value).toString("latin1"));
          controller.enqueue(value);
        }
        if (!done) return;
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      if (!hasIds) onEnd();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
