import type { RpcResponse } from "../../protocol/frames.ts";
import { readText } from "./read-response.ts";

/** A stored session, as the server lists it. */
export interface StoredSession {
  id: string;
  name?: string;
  cwd: string;
  /** ISO 8601, as `modifiedAt`. */
  createdAt: string;
  modifiedAt: string;
  firstPrompt?: string;
  live: boolean;
  streaming: boolean;
  /** The number of open questions. */
  waiting: number;
  /** Whether the last prompt has no end, and no run is active. */
  interrupted: boolean;
}

/** Options of a new session; see docs/serve.md. */
export interface NewSession {
  cwd?: string;
  name?: string;
  model?: string;
}

/** An answer of the server with an error status. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  /** The server asks to wait that long before another try; undefined if it does not. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { status, code, retryAfterMs }: { status: number; code: string; retryAfterMs?: number | undefined },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface ApiOptions {
  /** The origin of the server, without a slash at its end. Empty: that of the page. */
  origin?: string;
  token: string;
  /** Called when the server refuses the token. */
  onUnauthorized?: () => void;
}

/** The requests of the page. The token is in a header, and in no address. */
export class Api {
  readonly #origin: string;
  readonly #token: string;
  readonly #onUnauthorized: () => void;

  constructor({ origin = "", token, onUnauthorized = () => {} }: ApiOptions) {
    this.#origin = origin;
    this.#token = token;
    this.#onUnauthorized = onUnauthorized;
  }

  /** The stored sessions, the latest first. */
  async listSessions(): Promise<StoredSession[]> {
    const { sessions } = (await this.#read("/v1/sessions?limit=100")) as { sessions: StoredSession[] };
    return sessions;
  }

  /** Begins a session and returns its id. */
  async beginSession(options: NewSession): Promise<string> {
    const { sessionId } = (await this.#read("/v1/sessions", toPost(options))) as { sessionId: string };
    return sessionId;
  }

  /**
   * Sends a command, or a frame, to a session.
   *
   * @param key - The same key again does not run the command again.
   * @returns The response; undefined for a frame.
   */
  async send(session: string, record: object, key: string): Promise<RpcResponse | undefined> {
    const request = toPost(record);
    const headers = { ...request.headers, "idempotency-key": key };
    return (await this.#read(`${pathOf(session)}/commands`, { ...request, headers })) as RpcResponse | undefined;
  }

  /**
   * Opens the stream of the frames of a session.
   *
   * @param since - The position of the last frame that is known, as `epoch:seq`.
   */
  async openEvents(session: string, since: string | undefined, signal: AbortSignal): Promise<Response> {
    const position = since === undefined ? "" : `&since=${encodeURIComponent(since)}`;
    return this.#fetch(`${pathOf(session)}/events?stream=deltas${position}`, { signal, headers: { accept: "text/event-stream" } });
  }

  async #read(path: string, request: RequestInit = {}): Promise<unknown> {
    const response = await this.#fetch(path, request);
    const text = await readText(response);
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  }

  /** @throws {ApiError} For an answer with an error status. */
  async #fetch(path: string, { headers, ...request }: RequestInit): Promise<Response> {
    const response = await fetch(`${this.#origin}${path}`, {
      ...request,
      headers: { ...(headers as Record<string, string> | undefined), authorization: `Bearer ${this.#token}` },
      cache: "no-store",
      credentials: "omit",
    });
    if (response.ok) return response;
    const error = await toError(response);
    if (error.status === 401) this.#onUnauthorized();
    throw error;
  }
}

function toPost(body: object) {
  return { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}

function pathOf(session: string): string {
  return `/v1/sessions/${encodeURIComponent(session)}`;
}

async function toError(response: Response): Promise<ApiError> {
  const { status } = response;
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  try {
    const { error } = JSON.parse(await readText(response)) as { error: { code: string; message: string } };
    return new ApiError(String(error.message), { status, code: String(error.code), retryAfterMs });
  } catch {
    // The answer of a proxy.
    return new ApiError(`The server answered with the status ${status}.`, { status, code: "unknown", retryAfterMs });
  }
}
