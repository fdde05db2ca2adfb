import type { ServerResponse } from "node:http";
import type { SentFrame, WatcherSink } from "./watcher.ts";

/** Milliseconds between the signs of life on a silent connection. */
const signOfLifeMs = 15_000;
/** Milliseconds that a client waits before it comes back. */
const retryMs = 1000;

/** Frames as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class EventStream implements WatcherSink {
  readonly #response: ServerResponse;
  readonly #epoch: string;
  readonly #signOfLife: NodeJS.Timeout;
  onRoom: () => void = () => {};

  /** @param onClose - Called once, when the connection is closed. */
  constructor(response: ServerResponse, epoch: string, onClose: () => void) {
    this.#response = response;
    this.#epoch = epoch;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Asks proxies such as nginx not to collect the events.
      "x-accel-buffering": "no",
    });
    response.write(`retry: ${retryMs}\n\n`);
    this.#signOfLife = setInterval(() => {
      if (!this.isFull) response.write(":\n\n");
    }, signOfLifeMs);
    response.on("drain", () => this.onRoom());
    response.on("error", () => undefined);
    response.on("close", () => {
      clearInterval(this.#signOfLife);
      onClose();
    });
  }

  get isFull(): boolean {
    return this.#response.writableNeedDrain || this.#response.destroyed;
  }

  write(frames: readonly SentFrame[]): void {
    let text = "";
    for (const { json, seq } of frames) {
      text += seq === undefined ? `data: ${json}\n\n` : `id: ${this.#epoch}:${seq}\ndata: ${json}\n\n`;
    }
    this.#response.write(text);
  }

  end(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }
}
