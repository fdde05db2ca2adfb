import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { cut, keepOpen, type ProviderResponse, resolveResponse } from "./response.ts";

/** A request as the server received it. */
export interface RecordedRequest {
  method: string;
  /** With the query. */
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Parsed JSON, or the text if it is not JSON. */
  body: unknown;
  /** Resolves when the connection of this request is closed. Stays pending while the client keeps the connection for reuse. */
  closed: Promise<void>;
}

/** A response, or a function that creates one for the request. */
export type Responder = ProviderResponse | ((request: RecordedRequest) => ProviderResponse | Promise<ProviderResponse>);

/** A model provider on this machine, scripted by a test. */
export interface ProviderServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Queues responses; each request takes the next one. A request without a queued response gets an error with status 500. */
  respond(...responders: Responder[]): void;
  /** Waits for the next request that no earlier call has returned. */
  nextRequest(): Promise<RecordedRequest>;
  /** Closes every connection and stops listening. */
  close(): Promise<void>;
}

/** Starts a server that sends the responses that the test queues. */
export async function startProviderServer(): Promise<ProviderServer> {
  const queue: Responder[] = [];
  const requests: RecordedRequest[] = [];
  const waiting: ((request: RecordedRequest) => void)[] = [];
  let returned = 0;

  const server = createServer(async (incoming, outgoing) => {
    incoming.socket.setNoDelay(true);
    const request = await record(incoming);
    if (!request) return;
    requests.push(request);
    const waiter = waiting.shift();
    if (waiter) {
      returned += 1;
      waiter(request);
    }
    const responder = queue.shift() ?? noAnswer(request, requests.length);
    await answer(typeof responder === "function" ? await responder(request) : responder, request, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    respond(...responders) {
      queue.push(...responders);
    },
    nextRequest() {
      const request = requests[returned];
      if (!request) return new Promise((resolve) => waiting.push(resolve));
      returned += 1;
      return Promise.resolve(request);
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  function close(): Promise<void> {
    return new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}

/** Reads a request; undefined when the client disconnects before it has sent all of it. */
async function record(incoming: IncomingMessage): Promise<RecordedRequest | undefined> {
  const closed = closeOf(incoming.socket);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return undefined; // "aborted": the client closed the connection
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    headers[name] = Array.isArray(value) ? value.join(", ") : (value ?? "");
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers,
    body: parseBody(Buffer.concat(chunks).toString("utf8")),
    closed,
  };
}

const closes = new WeakMap<Socket, Promise<void>>();

/** Resolves when the connection is closed. There is one promise per connection, which may carry many requests. */
function closeOf(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  const closed = closes.get(socket) ?? new Promise<void>((resolve) => socket.once("close", () => resolve()));
  closes.set(socket, closed);
  return closed;
}

async function answer(response: ProviderResponse, request: RecordedRequest, outgoing: ServerResponse): Promise<void> {
  await Promise.race([response.after, request.closed]);
  if (response.refuse) return void outgoing.destroy();
  const { status, headers, steps } = resolveResponse(response);
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  for (const step of steps) {
    if (outgoing.destroyed) return;
    if (step === keepOpen) return;
    if (step === cut) return void outgoing.destroy();
    if (typeof step === "string" || step instanceof Uint8Array) {
      await write(outgoing, step);
    } else {
      await Promise.race([step, request.closed]);
    }
  }
  outgoing.end();
}

/** One write per turn of the event loop, so that steps are sent as separate packets. */
async function write(outgoing: ServerResponse, step: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => outgoing.write(step, () => resolve()));
  await nextTurn();
}

function noAnswer(request: RecordedRequest, count: number): ProviderResponse {
  const message = `The test queued no answer for request ${count} (${request.method} ${request.path}).`;
  return { status: 500, body: { error: { type: "test", message } } };
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
