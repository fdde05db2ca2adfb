import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { type ConnectOptions, RpcClient, type RpcEvent } from "../../src/index.ts";

type Record_ = Record<string, unknown>;

/** Values that are taken in their order, as soon as they are there. */
class Inbox<T> {
  readonly #values: T[] = [];
  readonly #waiting: ((value: T) => void)[] = [];

  push(value: T): void {
    const next = this.#waiting.shift();
    if (next) next(value);
    else this.#values.push(value);
  }

  take(): Promise<T> {
    const [value] = this.#values.splice(0, 1);
    return value === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(value);
  }
}

/** One connection of a client, on the side of the server. */
export class FakeConnection {
  readonly query: URLSearchParams;
  readonly path: string;
  readonly token: string | undefined;
  readonly protocols: string | undefined;
  readonly #socket: WebSocket;
  readonly #tcp: Socket;
  readonly #received = new Inbox<Record_>();
  readonly closed: Promise<number>;
  #epoch = "";
  #seq = 0;

  constructor(socket: WebSocket, request: IncomingMessage) {
    const url = new URL(request.url ?? "", "http://localhost");
    this.#socket = socket;
    this.#tcp = request.socket;
    this.query = url.searchParams;
    this.path = url.pathname;
    this.token = request.headers.authorization;
    this.protocols = request.headers["sec-websocket-protocol"];
    socket.on("message", (data) => this.#received.push(JSON.parse(String(data))));
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => socket.on("close", resolve));
  }

  /** The next record that the client has sent. */
  received(): Promise<Record_> {
    return this.#received.take();
  }

  /** Begins the connection at this position. */
  ready(epoch: string, seq: number, sessionId = "s1"): void {
    this.#epoch = epoch;
    this.#seq = seq;
    this.send({ type: "ready", protocolVersion: 1, version: "0.0.0", sessionId, epoch, seq });
  }

  /** Begins the connection with the state of the session. */
  begin(reason: "start" | "epoch" | "overrun", epoch: string, seq: number, more: Record_ = {}): void {
    this.ready(epoch, seq);
    this.resync(reason, seq, more);
  }

  resync(reason: "start" | "epoch" | "overrun", seq: number, { state, ...more }: Record_ = {}): void {
    this.#seq = seq;
    const whole = { sessionId: "s1", isStreaming: false, streamMode: "deltas", ...(state as object) };
    this.send({ type: "resync", reason, epoch: this.#epoch, seq, state: whole, running: [], ...more });
  }

  /** Sends frames with the next numbers. */
  frames(...frames: object[]): void {
    for (const frame of frames) {
      this.#seq += 1;
      this.send({ ...frame, epoch: this.#epoch, seq: this.#seq });
    }
  }

  /** Answers a command; like the server, with the number of the frame before the response. */
  answer({ id, type }: Record_, data?: unknown, after = this.#seq): void {
    this.send({ id, type: "response", command: type, success: true, ...(data === undefined ? {} : { data }), after });
  }

  send(record: object): void {
    this.#socket.send(JSON.stringify(record));
  }

  /** Ends the connection without a word. */
  cut(): void {
    this.#tcp.destroy();
  }

  /** Whether the client is there. */
  ping(): Promise<void> {
    this.#socket.ping();
    return new Promise((resolve) => this.#socket.once("pong", () => resolve()));
  }
}

/** A request over HTTP, and the way to answer it. */
interface FakeRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: unknown;
  answer(status: number, body: object, headers?: Record<string, string>): void;
}

/** A server that speaks the wire of `pi serve`, and does what the test tells it to. */
export class FakeServer {
  readonly #server: Server;
  readonly #sockets = new Inbox<FakeConnection>();
  readonly #requests = new Inbox<FakeRequest>();
  /** The answers to the next upgrades; a socket when there is none. */
  readonly refusals: { status: number; code: string; message: string; headers?: Record<string, string> }[] = [];

  constructor() {
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "pi.rpc.v1" });
    this.#server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const answer = (status: number, body: object, headers: Record<string, string> = {}) => {
        response
          .writeHead(status, { "content-type": "application/json", connection: "close", ...headers })
          .end(JSON.stringify(body));
      };
      const { method = "", url = "", headers } = request;
      this.#requests.push({ method, path: url, headers, body: text === "" ? undefined : JSON.parse(text), answer });
    });
    this.#server.on("upgrade", (request, socket, head) => {
      const refusal = this.refusals.shift();
      if (refusal === undefined) {
        sockets.handleUpgrade(request, socket, head, (webSocket) => this.#sockets.push(new FakeConnection(webSocket, request)));
        return;
      }
      const { status, headers = {}, ...error } = refusal;
      const body = JSON.stringify({ error });
      const all = { "content-type": "application/json", "content-length": body.length, ...headers };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${status} No\r\n${lines.join("")}\r\n${body}`);
    });
  }

  static async start(): Promise<FakeServer> {
    const server = new FakeServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => server.stop());
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next connection of a client. */
  connection(): Promise<FakeConnection> {
    return this.#sockets.take();
  }

  /** The next request that is not for a socket. */
  request(): Promise<FakeRequest> {
    return this.#requests.take();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** A client of session s1 with what it has received, and its first connection, at e1:0. */
export async function connected(options: ConnectOptions = {}): Promise<Connected> {
  const server = await FakeServer.start();
  const connecting = RpcClient.connect(server.url, { sessionId: "s1", reconnectDelayMs: 1, ...options });
  const connection = await server.connection();
  connection.begin("start", "e1", 0);
  const client = await connecting;
  onTestFinished(() => client.stop());
  const events: RpcEvent[] = [];
  client.onEvent((event) => events.push(event));
  return { server, client, connection, events };
}

export interface Connected {
  server: FakeServer;
  client: RpcClient;
  connection: FakeConnection;
  /** The events of the client, the first `resync` included. */
  events: RpcEvent[];
}

/** Waits until the client has read everything that was sent to it. */
export async function settle(client: RpcClient, connection: FakeConnection, sessionId = "s1"): Promise<void> {
  const state = client.getState();
  const command = await connection.received();
  connection.answer(command, { sessionId });
  await state;
}
