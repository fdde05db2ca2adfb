import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { maxLineLength } from "../protocol.ts";
import { ConnectFailure, readRefusal } from "./failure.ts";
import { type Socket, type SocketHandlers, type SocketTarget, subprotocol } from "./socket.ts";

/** Milliseconds until the connection must be open. */
const handshakeTimeoutMs = 15_000;
/** Bytes of a message: each character has up to three. */
const maxPayload = maxLineLength * 3;

/** Opens a WebSocket of the package `ws`. */
export function openSocket({ url, token }: SocketTarget, handlers: SocketHandlers): Socket {
  const socket = new WebSocket(url, [subprotocol], {
    headers: token === "" ? {} : { authorization: `Bearer ${token}` },
    handshakeTimeout: handshakeTimeoutMs,
    perMessageDeflate: false,
    maxPayload,
  });
  let isClosed = false;
  let error: Error | undefined;
  const fail = (failure: ConnectFailure) => {
    if (isClosed) return;
    isClosed = true;
    handlers.onClose(failure);
  };
  const alive = () => void (isClosed || handlers.onSignOfLife());
  socket.on("message", (data) => {
    if (!isClosed) handlers.onText(String(data));
  });
  socket.on("ping", alive);
  socket.on("pong", alive);
  socket.on("unexpected-response", (request, response: IncomingMessage) => {
    const header = (name: string) => response.headers[name] as string | undefined;
    void readRefusal({ status: response.statusCode ?? 0, header, body: response }).then((failure) => {
      fail(failure);
      request.destroy();
    });
  });
  socket.on("error", (reason) => {
    error = reason;
  });
  socket.on("close", (code) => fail(new ConnectFailure(describe(code, error), { cause: error })));
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    ping: () => {
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    },
    setReading: (isReading) => {
      // Before the socket is open, there is nothing to pause; it is paused when it opens.
      const apply = () => (isReading ? socket.resume() : socket.pause());
      if (socket.readyState === WebSocket.CONNECTING) socket.once("open", apply);
      else apply();
    },
    close: () => {
      // The answer of the other side has to be read.
      socket.resume();
      socket.close(1000);
    },
    terminate: () => socket.terminate(),
  };
}

function describe(code: number, error: Error | undefined): string {
  return error === undefined ? `The connection was closed with code ${code}.` : `The connection failed: ${error.message}`;
}
