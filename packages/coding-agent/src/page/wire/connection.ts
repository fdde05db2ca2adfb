import { createParser, type EventSourceMessage } from "eventsource-parser";
import { type Api, ApiError } from "./api.ts";
import type { Frame } from "./frames.ts";
import { readChunks } from "./read-response.ts";

/** The state of the connection to a session. */
export type ConnectionState =
  | { name: "connecting" }
  | { name: "open" }
  /** It broke; another try follows. */
  | { name: "broken"; reason: string }
  /** The server refused it; no other try follows. */
  | { name: "refused"; error: ApiError };

export interface ConnectionOptions {
  api: Api;
  session: string;
  /** Called with each frame, once and in order. */
  onFrame: (frame: Frame) => void;
  onState: (state: ConnectionState) => void;
}

/** Maximum characters of a frame: a message with images. */
const maxFrameLength = 128 * 1024 * 1024;
/** The first delay before another try, and the longest one, in milliseconds. */
const firstDelayMs = 500;
const lastDelayMs = 30_000;
/** The server sends a sign of life every 15 seconds. Without one for this long, the connection is taken as broken. */
const silenceMs = 45_000;

/** Reads the frames of a session. When the connection breaks, opens another one that continues at the same place. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  /** The position of the last frame, as `epoch:seq`. */
  #position: string | undefined;
  #epoch: string | undefined;
  #state: ConnectionState = { name: "connecting" };
  /** Ends the delay before the next try. */
  #wake: (() => void) | undefined;
  /** Resolved with the next `ready` frame, or when the connection is closed. */
  #opening = Promise.withResolvers<void>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The epoch of the session; undefined before the first connection. */
  get epoch(): string | undefined {
    return this.#epoch;
  }

  /** Connects, and stays connected until `close` or a refusal. */
  async run(): Promise<void> {
    for (let failures = 0; !this.#closing.signal.aborted; ) {
      this.#setState({ name: "connecting" });
      const before = this.#position;
      const error = await this.#read().catch((caught: unknown) => caught);
      if (this.#closing.signal.aborted) return;
      if (error instanceof ApiError && isFinal(error)) {
        this.#setState({ name: "refused", error });
        this.#opening.resolve();
        return;
      }
      failures = this.#position === before ? failures + 1 : 1;
      this.#setState({ name: "broken", reason: error instanceof Error ? error.message : "The server closed the connection." });
      await this.#pause(delayOf(failures, error));
    }
  }

  /** Tries again at once if the connection is broken. */
  retryNow(): void {
    this.#wake?.();
  }

  /** Resolves when the connection is open: now, or after the next try. Also when it is closed or refused. */
  async opened(): Promise<void> {
    if (this.#state.name !== "open" && this.#state.name !== "refused") await this.#opening.promise;
  }

  close(): void {
    this.#closing.abort();
    this.#wake?.();
    this.#opening.resolve();
  }

  async #read(): Promise<void> {
    const { api, session } = this.#options;
    const attempt = new AbortController();
    const signal = AbortSignal.any([attempt.signal, this.#closing.signal]);
    let silence = setTimeout(() => attempt.abort(), silenceMs);
    const parser = createParser({ maxBufferSize: maxFrameLength, onEvent: (event) => this.#onEvent(event) });
    try {
      const response = await api.openEvents(session, this.#position, signal);
      await readChunks(response, (text) => {
        clearTimeout(silence);
        silence = setTimeout(() => attempt.abort(), silenceMs);
        parser.feed(text);
      });
    } finally {
      clearTimeout(silence);
      attempt.abort();
    }
  }

  #onEvent({ id, data }: EventSourceMessage): void {
    if (this.#closing.signal.aborted) return;
    const frame = JSON.parse(data) as Frame;
    if (frame.type === "ready") {
      this.#epoch = frame.epoch;
      this.#setState({ name: "open" });
      this.#opening.resolve();
    }
    this.#options.onFrame(frame);
    // After the frame was used: if that fails, it is sent again.
    if (id !== undefined) this.#position = id;
  }

  #setState(state: ConnectionState): void {
    if (this.#state.name === "open") this.#opening = Promise.withResolvers();
    this.#state = state;
    this.#options.onState(state);
  }

  async #pause(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, delayMs);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }
}

/** Whether another try would end in the same way: the token, the session or its folder is refused. */
function isFinal({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** The delay before the next try, in milliseconds. A random part keeps clients from coming back all at once. */
function delayOf(failures: number, error: unknown): number {
  const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), lastDelayMs) * (0.5 + Math.random() / 2);
  const askedMs = error instanceof ApiError ? error.retryAfterMs : undefined;
  return Math.max(delayMs, Math.min(askedMs ?? 0, lastDelayMs));
}
