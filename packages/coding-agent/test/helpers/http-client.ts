import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";

/** A server to talk to. */
export interface Served {
  url: string;
  token: string;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at it with matchers
  json: any;
}

export interface CallOptions {
  /** Objects are sent as JSON. */
  body?: object | string | Uint8Array;
  headers?: OutgoingHttpHeaders;
  /** null: none. Default: that of the server. */
  token?: string | null;
}

/** Sends a request on a connection of its own. */
export function call({ url, token }: Served, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { body, headers = {} } = options;
  const key = options.token === undefined ? token : options.token;
  const isJson = body !== undefined && typeof body === "object" && !(body instanceof Uint8Array);
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...{ hostname, port, method, path, agent: false },
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
      },
      (incoming) => {
        const pieces: Buffer[] = [];
        incoming.on("data", (piece: Buffer) => pieces.push(piece));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const text = Buffer.concat(pieces).toString();
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: tryParse(text) });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(isJson ? JSON.stringify(body) : body);
  });
}

/** Sends bytes on a raw connection, and resolves with everything that came back when the server has closed it. */
export function sendRaw({ url }: Served, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on("data", (piece) => pieces.push(piece));
    socket.on("error", () => undefined); // reset by the server: the close follows
    socket.on("close", () => resolve(Buffer.concat(pieces).toString()));
    socket.write(bytes);
  });
}

/** Begins a session and returns its id. */
export async function begin(served: Served, options: object = {}): Promise<string> {
  const { status, text, json } = await call(served, "POST", "/v1/sessions", { body: options });
  if (status !== 200 && status !== 201) throw new Error(`no session: ${text}`);
  return json.sessionId;
}

/** Runs a command and returns its response. */
export async function command(served: Served, id: string, record: object): Promise<Answer["json"]> {
  const { status, text, json } = await call(served, "POST", `/v1/sessions/${id}/commands`, { body: record });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return json;
}

type Frame = { type: string; [field: string]: unknown };

/** The frames of a session, as they come. */
export interface Frames {
  readonly frames: Frame[];
  /** The first frame with these fields; rejects when the connection ends without it. */
  waitFor(fields: Partial<Frame>): Promise<Frame>;
  /** Resolves when the connection has ended. */
  ended: Promise<void>;
  close(): void;
}

/** Collects frames, and lets a test wait for them. */
class FrameList {
  readonly frames: Frame[] = [];
  #changed = Promise.withResolvers<void>();
  #isOver = false;

  add(frame: Frame): void {
    this.frames.push(frame);
    this.#notify();
  }

  end(): void {
    this.#isOver = true;
    this.#notify();
  }

  async waitFor(fields: Partial<Frame>): Promise<Frame> {
    for (let index = 0; ; index += 1) {
      while (index >= this.frames.length) {
        if (this.#isOver) throw new Error(`no frame ${JSON.stringify(fields)} among ${JSON.stringify(this.frames)}`);
        await this.#changed.promise;
      }
      const frame = this.frames[index] as Frame;
      if (Object.entries(fields).every(([name, value]) => frame[name] === value)) return frame;
    }
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }
}

/** Listens to the events of a session until the test is over. */
export function openEvents({ url, token }: Served, id: string, query = ""): Promise<Frames> {
  const list = new FrameList();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}/v1/sessions/${id}/events${query}`,
      { agent: false, headers: { authorization: `Bearer ${token}` } },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (piece: string) => {
          const events = (text + piece).split("\n\n");
          text = events.pop() ?? "";
          for (const event of events) {
            const data = event.split("\n").find((line) => line.startsWith("data: "));
            if (data !== undefined) list.add(JSON.parse(data.slice("data: ".length)));
          }
        });
        const ended = new Promise<void>((end) => {
          incoming.on("error", () => undefined);
          incoming.on("close", () => {
            list.end();
            end();
          });
        });
        if (incoming.statusCode !== 200) reject(new Error(`status ${incoming.statusCode}`));
        resolve({ frames: list.frames, waitFor: (fields) => list.waitFor(fields), ended, close: () => outgoing.destroy() });
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
    onTestFinished(() => void outgoing.destroy());
  });
}

/** Opens a WebSocket of a session until the test is over. */
export async function openSocket({ url, token }: Served, id: string, query = ""): Promise<Frames & { socket: WebSocket }> {
  const list = new FrameList();
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/sessions/${id}/socket${query}`, ["pi.rpc.v1", `bearer.${token}`]);
  onTestFinished(() => socket.terminate());
  socket.on("message", (data) => list.add(JSON.parse(String(data))));
  const ended = new Promise<void>((resolve) => {
    socket.on("close", () => {
      list.end();
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.on("open", resolve);
    socket.on("error", reject);
  });
  return { socket, frames: list.frames, waitFor: (fields) => list.waitFor(fields), ended, close: () => socket.close() };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
