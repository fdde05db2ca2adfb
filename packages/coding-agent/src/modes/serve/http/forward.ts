import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { request as requestHttps } from "node:https";
import { type Duplex, pipeline } from "node:stream";
import { HttpError, retrySoon } from "./http-error.ts";
import { forwardedHeader, serverHeader } from "./other-server.ts";
import { readAddress } from "./server-address.ts";

/** Maximum milliseconds to connect to the other server. */
const connectMs = 5000;

/** Maximum number of servers that a request is sent to, when its session moves at the same time. */
const maxServers = 3;

/** Headers that concern one connection only. */
const connectionHeaders: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
]);

/** Headers that this server has checked or fulfilled itself. */
const ownHeaders: ReadonlySet<string> = new Set(["host", "origin", "content-length", "expect"]);

/** A request to send to another server. */
export interface Forwarded {
  request: IncomingMessage;
  /** The JSON of its body; undefined if it has none. */
  body: string | undefined;
  /** The server that has the session. */
  address: string;
}

interface OtherAnswer {
  answer: IncomingMessage;
  /** The connection, if the answer upgrades it. */
  upgraded?: { socket: Duplex; head: Buffer };
}

/** Sends requests for sessions of other servers to them, and their answers back. */
export class Forwarder {
  readonly #ownAddress: string | undefined;
  /** Both ends of the forwarded sockets. */
  readonly #sockets = new Set<Duplex>();

  constructor(ownAddress: string | undefined) {
    this.#ownAddress = ownAddress;
  }

  /**
   * Answers a request as the server that has the session answers it. Resolves when the answer has begun.
   *
   * @throws {HttpError} `unavailable` when that server cannot be reached.
   */
  async answer(forwarded: Forwarded, response: ServerResponse): Promise<void> {
    const { answer } = await this.#ask(forwarded, response);
    response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.headers));
    pipeline(answer, response, () => undefined);
  }

  /**
   * Joins a connection that is to become a WebSocket with the server that has the session.
   *
   * @throws {HttpError} `unavailable`.
   */
  async join(forwarded: Forwarded, socket: Duplex, head: Buffer): Promise<void> {
    const { answer, upgraded } = await this.#ask(forwarded, socket);
    if (!upgraded) {
      socket.write(headOf(answer, { ...withoutConnection(answer.headers), connection: "close" }));
      pipeline(answer, socket, () => socket.destroy());
      return;
    }
    socket.write(headOf(answer, answer.headers));
    socket.write(upgraded.head);
    upgraded.socket.write(head);
    this.#pipe(socket, upgraded.socket);
    this.#pipe(upgraded.socket, socket);
  }

  /** Cuts all forwarded sockets. Their clients connect again, to another server. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #pipe(from: Duplex, to: Duplex): void {
    this.#sockets.add(from);
    from.on("error", () => undefined);
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
    // It may have been closed meanwhile.
    if (from.destroyed) to.destroy();
  }

  /** Asks the server that has the session, also if the session moves to another one meanwhile. */
  async #ask(forwarded: Forwarded, client: ServerResponse | Duplex): Promise<OtherAnswer> {
    let { address } = forwarded;
    for (let count = 0; count < maxServers && address !== this.#ownAddress; count += 1) {
      const result = await askOnce({ ...forwarded, address }, client);
      const next = result.answer.statusCode === 307 ? readAddress(textOf(result.answer.headers[serverHeader])) : undefined;
      if (next === undefined) return result;
      result.answer.resume();
      address = next;
    }
    throw new HttpError("unavailable", "The session is moving from one server to another. Try again.", retrySoon);
  }
}

/** Sends a request to another server. It is aborted when the client leaves. */
async function askOnce({ request, body, address }: Forwarded, client: ServerResponse | Duplex): Promise<OtherAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OtherAnswer>();
  const { method = "GET", url = "" } = request;
  const send = address.startsWith("https:") ? requestHttps : requestHttp;
  const outgoing = send(`${address}${url}`, { method, headers: headersFor(request), agent: false });
  limitConnecting(outgoing);
  outgoing.on("response", (answer) => resolve({ answer }));
  outgoing.on("upgrade", (answer, socket, head) => resolve({ answer, upgraded: { socket, head } }));
  outgoing.on("error", reject);
  const abort = () => void outgoing.destroy();
  client.once("close", abort);
  outgoing.end(body);
  try {
    return await promise;
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    const problem = `The session is open in the server ${address}, which does not answer (${reason}). Try again.`;
    throw new HttpError("unavailable", problem, retrySoon);
  } finally {
    client.off("close", abort);
  }
}

function limitConnecting(outgoing: ClientRequest): void {
  const timer = setTimeout(() => outgoing.destroy(new Error("no connection in time")), connectMs);
  const done = () => clearTimeout(timer);
  outgoing.once("close", done);
  outgoing.once("socket", (socket) => socket.once("connect", done));
}

function headersFor({ headers }: IncomingMessage): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name) && !ownHeaders.has(name));
  const upgrade = headers.upgrade === undefined ? {} : { connection: "Upgrade", upgrade: headers.upgrade };
  return { ...Object.fromEntries(kept), ...upgrade, [forwardedHeader]: "1" };
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.has(name)));
}

/** The beginning of an answer as it is written on a connection. */
function headOf({ statusCode = 502 }: IncomingMessage, headers: IncomingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value = []]) => [value].flat().map((each) => `${name}: ${each}\r\n`));
  return `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ""}\r\n${lines.join("")}\r\n`;
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
