import type { WebSocket } from "ws";
import { encodeInBatches } from "../../long-json.ts";
import type { SentFrame, WatcherSink } from "./watcher.ts";

/** Milliseconds between two pings. A client that has answered none of them since the last one but one is gone. */
const pingMs = 15_000;
/** Bytes that wait for the client; then no further frames are written. */
const maxBuffered = 256 * 1024;
/** Milliseconds that the client may take to close its side. */
const closeGraceMs = 2000;

/** Frames as the messages of a WebSocket. */
export class SocketStream implements WatcherSink {
  readonly #socket: WebSocket;
  readonly #pings: NodeJS.Timeout;
  #isAlive = true;
  onRoom: () => void = () => {};

  /** @param onClose - Called once, when the connection is closed. */
  constructor(socket: WebSocket, onClose: () => void) {
    this.#socket = socket;
    this.#pings = setInterval(() => this.#ping(), pingMs);
    const live = () => {
      this.#isAlive = true;
    };
    socket.on("pong", live);
    socket.on("message", live);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(this.#pings);
      onClose();
    });
  }

  get isFull(): boolean {
    return this.#socket.bufferedAmount > maxBuffered || this.#socket.readyState !== this.#socket.OPEN;
  }

  write(frames: readonly SentFrame[]): void {
    for (const { json } of frames) this.#socket.send(json, this.#onWritten);
  }

  /** The pieces are the fragments of one message. */
  async writeLong(response: object): Promise<void> {
    for await (const batch of encodeInBatches(response)) {
      if (!(await this.#sendPart(batch, false))) return;
    }
    await this.#sendPart("", true);
  }

  /** Returns false if the connection is closed. */
  #sendPart(text: string, isLast: boolean): Promise<boolean> {
    return new Promise((resolve) => this.#socket.send(text, { fin: isLast }, (error) => resolve(!error)));
  }

  end(): void {
    this.#socket.close(1001, "The server ends this session.");
    setTimeout(() => this.#socket.terminate(), closeGraceMs).unref();
  }

  cut(reason: string): void {
    this.#socket.close(1013, reason);
    this.#socket.terminate();
  }

  readonly #onWritten = (): void => {
    if (this.#socket.bufferedAmount <= maxBuffered) this.onRoom();
  };

  #ping(): void {
    if (!this.#isAlive) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }
}
