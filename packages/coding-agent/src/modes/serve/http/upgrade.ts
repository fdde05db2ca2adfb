import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { maxLineLength } from "../../../protocol/jsonl.ts";
import type { LiveSession } from "../live/live-session.ts";
import { HttpError } from "./http-error.ts";
import { protocolsOf, socketProtocol } from "./token-check.ts";

/** Messages are not compressed: it costs memory for each connection, and most clients are on this machine. */
const sockets = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: maxLineLength,
  handleProtocols: (offered) => (offered.has(socketProtocol) ? socketProtocol : false),
});

/**
 * Checks that a request asks for a WebSocket of this server.
 *
 * @throws {HttpError} `bad_request`.
 */
export function checkUpgrade(request: IncomingMessage): void {
  const { upgrade, "sec-websocket-key": key, "sec-websocket-version": version } = request.headers;
  if (request.method !== "GET" || upgrade?.toLowerCase() !== "websocket" || !/^[+/0-9A-Za-z]{22}==$/.test(key ?? "")) {
    throw new HttpError("bad_request", "The request is not a valid WebSocket upgrade.");
  }
  if (version !== "13") {
    throw new HttpError("bad_request", "The server speaks version 13 of WebSockets.", { "sec-websocket-version": "13" });
  }
  if (request.headers["sec-websocket-protocol"] !== undefined && !protocolsOf(request).includes(socketProtocol)) {
    throw new HttpError("bad_request", `The client must offer the subprotocol ${socketProtocol}.`);
  }
}

/** Completes the upgrade, and serves the session over it. */
export function acceptSocket(
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
  live: LiveSession,
  options: Parameters<LiveSession["serveSocket"]>[1],
): void {
  // The client may have left while the session was opened.
  if (socket.destroyed) return;
  sockets.handleUpgrade(request, socket, head, (webSocket) => live.serveSocket(webSocket, options));
}
