import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { HttpTimes } from "../serve-options.ts";
import { sendError, sendErrorOnSocket } from "./answer.ts";
import { HttpError, retrySoon } from "./http-error.ts";

/** Maximum bytes of the headers of a request. */
const maxHeaderBytes = 16 * 1024;

/** Connections beyond the maximum that still get an answer which says so. */
const extraConnections = 100;

export interface HttpServerOptions {
  maxConnections: number;
  times: HttpTimes;
  /** Answers a request; may reject with any error. */
  onRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Takes over the connection of an upgrade request; may reject with any error. */
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** The answer to an error. */
  toAnswer(error: unknown): HttpError;
}

/**
 * Creates the HTTP server: limits of size, time and number, and an answer to every error. A request never ends the process, and every
 * connection is answered or closed.
 */
export function createHttpServer({ maxConnections, times, onRequest, onUpgrade, toAnswer }: HttpServerOptions): Server {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: times.headersMs,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.keepAliveMs,
    connectionsCheckingInterval: times.checkMs,
  });
  const surplus = limitConnections(server, maxConnections);
  /** The latest answer on each connection. An error must not be written into one that has begun. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    answers.set(socket, response);
    response.on("close", () => answers.delete(socket));
    const work = surplus.has(socket) ? Promise.reject(tooManyConnections()) : onRequest(request, response);
    work.catch((error: unknown) => sendError(request, response, toAnswer(error)));
  };
  server.on("request", answer);
  // The body is asked for when it is read.
  server.on("checkContinue", answer);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => undefined);
    onUpgrade(request, socket, head).catch((error: unknown) => sendErrorOnSocket(socket, toAnswer(error)));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || answers.get(socket)?.headersSent) socket.destroy();
    else sendErrorOnSocket(socket, describeClientError(error));
  });
  return server;
}

/** Refuses connections beyond the maximum. Returns those that are open but get only an error. */
function limitConnections(server: Server, maxConnections: number): WeakSet<Duplex> {
  const surplus = new WeakSet<Duplex>();
  let count = 0;
  server.maxConnections = maxConnections + extraConnections;
  server.on("connection", (socket: Duplex) => {
    count += 1;
    if (count > maxConnections) surplus.add(socket);
    socket.on("close", () => {
      count -= 1;
    });
  });
  return surplus;
}

function tooManyConnections(): HttpError {
  const problem = "The server has too many connections. Close some, or try again later.";
  return new HttpError("too_many", problem, { ...retrySoon, connection: "close" });
}

/** The parser's own message is not sent: it says nothing to users. */
function describeClientError({ code }: NodeJS.ErrnoException): HttpError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new HttpError("headers_too_large", `The headers are larger than ${maxHeaderBytes} bytes. Send smaller ones.`);
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new HttpError("timeout", "The request took too long to arrive. Send it again.");
  return new HttpError("bad_request", "The request is not valid HTTP/1.1.");
}
