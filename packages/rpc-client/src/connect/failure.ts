/** Characters of an error text of a server that are kept. */
const maxTextLength = 500;
/** Bytes of the body of an error that are read. */
const maxBodyBytes = 65_536;
/** Statuses that may be others at the next attempt. 409: another process still holds the lock of the session. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

interface FailureDetails {
  status?: number;
  cause?: unknown;
  retryAfterMs?: number;
  server?: string | undefined;
}

/** Why a connection was not made, or ended. */
export class ConnectFailure extends Error {
  /** The HTTP status of a refusal; undefined when there was no answer. */
  readonly status: number | undefined;
  /** The code of the system, such as ECONNREFUSED. */
  readonly systemCode: string | undefined;
  /** Milliseconds that the server asks to wait. */
  readonly retryAfterMs: number;
  /** The address of the server that has the session, if the answer names another one. */
  readonly server: string | undefined;

  constructor(message: string, { status, cause, retryAfterMs = 0, server }: FailureDetails) {
    super(message, { cause });
    this.server = server;
    this.status = status;
    this.systemCode = findCode(cause);
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether further attempts are useless. */
  get isFinal(): boolean {
    const { status } = this;
    return status !== undefined && status >= 400 && status < 500 && !temporaryStatuses.has(status);
  }

  /** Whether a first connection need not be tried again: there is no such server, it does not want this client, or it names a wrong address. */
  get isFinalAtStart(): boolean {
    const isElsewhere = ["ECONNREFUSED", "ConnectionRefused", "ENOTFOUND", "CERT_HAS_EXPIRED"].includes(this.systemCode ?? "");
    const isMoved = this.status !== undefined && this.status >= 300 && this.status < 400;
    return this.isFinal || isMoved || this.status === 409 || isElsewhere;
  }
}

/** An answer to a request of `fetch` or `node:http`. */
interface Answer {
  status: number;
  header(name: string): string | null | undefined;
  body: AsyncIterable<Uint8Array> | null;
}

/** Reads the answer with which a server refuses a request. */
export async function readRefusal({ status, header, body }: Answer): Promise<ConnectFailure> {
  const text = await readText(body).catch(() => "");
  const retryAfterMs = Number(header("retry-after") ?? 0) * 1000;
  const server = status === 307 ? (header("pi-session-server") ?? undefined) : undefined;
  return new ConnectFailure(describe(status, text), {
    ...{ status, server },
    retryAfterMs: Number.isFinite(retryAfterMs) ? retryAfterMs : 0,
  });
}

/** The text of a body, cut to its first bytes. */
export async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const utf8 = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    text += utf8.decode(chunk, { stream: true });
    bytes += chunk.length;
    if (bytes > maxBodyBytes) break;
  }
  return text;
}

function describe(status: number, text: string): string {
  try {
    const { code, message } = (JSON.parse(text) as { error: { code: unknown; message: unknown } }).error;
    return `The server answered with status ${status} (${code}): ${String(message).slice(0, maxTextLength)}`;
  } catch {
    const rest = text.trim() === "" ? "." : `: ${text.trim().slice(0, maxTextLength)}`;
    return `The server answered with status ${status}${rest}`;
  }
}

/** `fetch` wraps the error of the system. */
function findCode(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return cause === undefined || cause === null ? undefined : findCode(cause);
}
