import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { encodeLine } from "../../../protocol/jsonl.ts";
import type { HttpError } from "./http-error.ts";

/** Headers of every answer: no cache, no guessing of types, no page of another site as the reader. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Maximum bytes of a refused request's body that are read and dropped, so that the client sees the answer and can use the connection again. */
const maxDropped = 1024 * 1024;

/** Maximum milliseconds for that. */
const dropMs = 2000;

type Headers = Readonly<Record<string, string>>;

/** Sends a JSON answer. A HEAD request gets the headers only. */
export function sendJson(response: ServerResponse, status: number, value: unknown, headers: Headers = {}): void {
  send(response, status, encodeLine(value), headers);
}

/** Sends text that is JSON already, or has another type in the headers. */
export function sendText(response: ServerResponse, json: string, headers: Headers): void {
  send(response, 200, json, headers);
}

function send(response: ServerResponse, status: number, json: string, headers: Headers): void {
  const body = Buffer.from(json);
  response.writeHead(status, { ...commonHeaders, ...jsonHeaders(body), ...headers });
  response.end(body);
}

/** Sends the answer to a refused or failed request. Does nothing after the head was sent, except ending the connection. */
export function sendError(request: IncomingMessage, response: ServerResponse, error: HttpError): void {
  // Null when the connection is gone.
  const socket: Duplex | null = request.socket;
  // Not writable: the connection got another error meanwhile, such as a timeout.
  if (!socket?.writable) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (isBodyLong(request)) {
    sendErrorOnSocket(socket, error);
    return;
  }
  sendJson(response, error.status, bodyOf(error), error.headers);
}

/**
 * Sends an error on a connection that has no HTTP answer to write to, or on which the client still sends. Ends the connection; input that
 * arrives meanwhile is dropped, because a reset could reach the client before the answer.
 */
export function sendErrorOnSocket(socket: Duplex, error: HttpError): void {
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const body = Buffer.from(encodeLine(bodyOf(error)));
  const headers = { ...commonHeaders, ...jsonHeaders(body), connection: "close", ...error.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n`);
  socket.end(body);
  dropInput(socket);
}

function dropInput(socket: Duplex): void {
  let dropped = 0;
  const end = () => socket.destroy();
  const timer = setTimeout(end, dropMs);
  timer.unref();
  socket.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > maxDropped) end();
  });
  socket.once("end", end);
  socket.once("close", () => clearTimeout(timer));
  socket.resume();
}

/** Whether the client may still send more than is worth reading only to drop it. */
function isBodyLong(request: IncomingMessage): boolean {
  if (request.complete || request.destroyed) return false;
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > maxDropped;
}

function bodyOf({ code, message }: HttpError): object {
  return { error: { code, message } };
}

function jsonHeaders(body: Buffer): Headers {
  return { "content-type": "application/json", "content-length": String(body.length) };
}
