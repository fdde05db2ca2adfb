import type { StreamMode } from "../protocol-types.ts";
import { ConnectFailure, readRefusal, readText } from "./failure.ts";
import type { SessionRequest } from "./options.ts";
import type { SocketTarget } from "./socket.ts";

export interface SocketQuery {
  sessionId: string;
  stream: StreamMode;
  clientId: string;
  /** The position of the latest frame, `epoch:seq`. */
  since: string | undefined;
  token: string;
}

/** The addresses of a server. It may be behind a proxy that serves it under a path. */
export class ServerAddress {
  readonly #base: string;

  /** @throws {TypeError} When it is not an address with http or https. */
  constructor(url: string) {
    const { protocol, origin, pathname } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:") {
      throw new TypeError(`The address of a server begins with http:// or https://, but this one with ${protocol}//.`);
    }
    this.#base = `${origin}${pathname.replace(/\/+$/, "")}`;
  }

  toString(): string {
    return this.#base;
  }

  /** Whether its connections are encrypted. */
  get isSecure(): boolean {
    return this.#base.startsWith("https:");
  }

  socket({ sessionId, stream, clientId, since, token }: SocketQuery): SocketTarget {
    const query = new URLSearchParams({ stream, client: clientId, ...(since === undefined ? {} : { since }) });
    const sessionUrl = `${this.#base}/v1/sessions/${encodeURIComponent(sessionId)}`;
    return { url: `${sessionUrl.replace(/^http/, "ws")}/socket?${query}`, sessionUrl, token };
  }

  /**
   * Begins or opens a session.
   *
   * @param key - The same at each attempt, for a server whose answer was lost.
   * @returns Its id.
   * @throws {ConnectFailure}
   */
  async openSession(request: SessionRequest, { token, key, signal }: OpenSessionOptions): Promise<string> {
    const headers = {
      "content-type": "application/json",
      "idempotency-key": key,
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(`${this.#base}/v1/sessions`, {
      method: "POST",
      headers,
      body: JSON.stringify(request),
      // The token would not be sent to another server.
      redirect: "manual",
      signal,
    }).catch((cause: unknown) => {
      throw new ConnectFailure(`No connection to ${this.#base}: ${describe(cause)}`, { cause });
    });
    const { status, body, ok } = response;
    if (!ok) throw await readRefusal({ status, body, header: (name) => response.headers.get(name) });
    const text = await readText(body).catch((cause: unknown) => {
      throw new ConnectFailure(`The answer of ${this.#base} was cut: ${describe(cause)}`, { cause });
    });
    return readSessionId(text, this.#base);
  }
}

interface OpenSessionOptions {
  token: string;
  key: string;
  signal: AbortSignal;
}

function readSessionId(text: string, base: string): string {
  try {
    const { sessionId } = JSON.parse(text) as { sessionId?: unknown };
    if (typeof sessionId === "string") return sessionId;
  } catch {
    // Not JSON: not such a server.
  }
  throw new ConnectFailure(`${base} does not answer like a server of pi.`, { status: 404 });
}

/** `fetch` says "fetch failed"; the cause says why. */
function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
