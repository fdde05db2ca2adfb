import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { LiveSession } from "../../src/modes/serve/live/live-session.ts";
import type { StreamMode } from "../../src/protocol/data.ts";
import type { WireRecord } from "./rpc-process.ts";

export interface SocketOptions {
  stream?: StreamMode;
  since?: string;
  clientId?: string;
}

/** Serves one live session over WebSockets, without the rest of the server. */
export class LiveServer {
  readonly #server = createServer();
  readonly #sockets = new WebSocketServer({ noServer: true });

  constructor(live: LiveSession) {
    this.#server.on("upgrade", (request, socket, head) => {
      const { searchParams } = new URL(request.url ?? "/", "http://localhost");
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) =>
        live.serveSocket(webSocket, {
          stream: searchParams.get("stream") === "snapshots" ? "snapshots" : "deltas",
          since: searchParams.get("since") ?? undefined,
          clientId: searchParams.get("client") ?? undefined,
        }),
      );
    });
    onTestFinished(() => {
      for (const client of this.#sockets.clients) client.terminate();
      this.#server.close();
    });
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  connect({ stream, since, clientId }: SocketOptions = {}): Promise<SocketClient> {
    const { port } = this.#server.address() as AddressInfo;
    const query = new URLSearchParams({
      ...(stream && { stream }),
      ...(since !== undefined && { since }),
      ...(clientId !== undefined && { client: clientId }),
    });
    return SocketClient.open(`ws://127.0.0.1:${port}/?${query}`);
  }
}

/** A client of a socket that keeps everything that it gets. */
export class SocketClient {
  readonly records: WireRecord[] = [];
  readonly socket: WebSocket;
  readonly #waiting = new Set<{ isWanted: (record: WireRecord) => boolean; found: (record: WireRecord) => void }>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      const record = JSON.parse(String(data)) as WireRecord;
      this.records.push(record);
      for (const wait of this.#waiting) {
        if (!wait.isWanted(record)) continue;
        this.#waiting.delete(wait);
        wait.found(record);
      }
    });
  }

  static async open(url: string): Promise<SocketClient> {
    const client = new SocketClient(new WebSocket(url));
    await client.next(({ type }) => type === "ready");
    return client;
  }

  /** The position of the latest frame. */
  get position(): string {
    const last = this.records.findLast(({ seq, again }) => seq !== undefined && again === undefined);
    return `${String(last?.epoch)}:${String(last?.seq)}`;
  }

  send(record: object): void {
    this.socket.send(JSON.stringify(record));
  }

  /** Sends a command and resolves with its response. */
  async ask(record: { id: unknown; type: string } & Record<string, unknown>): Promise<WireRecord> {
    const answer = this.next(({ type, id }) => type === "response" && id === record.id);
    this.send(record);
    return answer;
  }

  /** The first record that is wanted, of those that come from now on. */
  next(isWanted: (record: WireRecord) => boolean): Promise<WireRecord> {
    return new Promise((found) => this.#waiting.add({ isWanted, found }));
  }

  /** The first record of this type, of those that have come or will come. */
  first(type: string): Promise<WireRecord> {
    const record = this.records.find((each) => each.type === type);
    return record ? Promise.resolve(record) : this.next((each) => each.type === type);
  }

  /** Loses the connection. Resolves when the server may know it. */
  async cut(): Promise<void> {
    this.socket.terminate();
    await once(this.socket, "close");
  }
}
