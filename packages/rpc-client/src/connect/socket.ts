import type { ConnectFailure } from "./failure.ts";

/** The protocol that the server chooses. */
export const subprotocol = "pi.rpc.v1";

export interface SocketTarget {
  /** With the protocol `ws:` or `wss:`. */
  url: string;
  /** The address of the session. Its answer tells why a socket was refused, where the runtime does not. */
  sessionUrl: string;
  /** Empty: none. */
  token: string;
}

/** One WebSocket. It is opened, carries texts, and closes once. */
export interface Socket {
  /** Sends a text, if the socket is open. */
  send(text: string): void;
  /** Asks the other side for a sign of life. */
  ping(): void;
  /** Pauses or resumes the reading. */
  setReading(isReading: boolean): void;
  /** Sends what waits and closes. */
  close(): void;
  /** Closes at once. */
  terminate(): void;
}

export interface SocketHandlers {
  onText: (text: string) => void;
  /** Called when the other side has shown that it is there. */
  onSignOfLife: () => void;
  /** Called once, with the reason; after it no other handler is called. */
  onClose: (failure: ConnectFailure) => void;
}

/** Opens a WebSocket. Fails by calling `onClose`, later. */
export type OpenSocket = (target: SocketTarget, handlers: SocketHandlers) => Socket;
