/** Brand of every error class of pikit, to recognise errors of a second loaded copy. */
const brand = Symbol.for("pikit.error");

/**
 * The reason why a model call failed.
 *
 * - `auth`: no credentials, or the provider refused them (401, 403)
 * - `rate_limit`: too many requests or an exhausted quota (429)
 * - `overloaded`: the provider cannot answer now (408, 5xx, 529)
 * - `invalid_request`: the provider rejects the request (other 4xx)
 * - `context_overflow`: the conversation is longer than the model's context window
 * - `request_too_large`: the request has more bytes than the provider accepts, whatever its tokens (413)
 * - `network`: the connection could not be opened, or it broke
 * - `bad_response`: the answer violates the wire protocol, ends early, or stops for an unknown reason
 * - `refused`: the model or a filter declined to answer
 * - `unsupported`: no such api or model
 * - `aborted`: the caller's abort signal
 */
export type AiErrorCode =
  | "auth"
  | "rate_limit"
  | "overloaded"
  | "invalid_request"
  | "context_overflow"
  | "request_too_large"
  | "network"
  | "bad_response"
  | "refused"
  | "unsupported"
  | "aborted";

export interface AiErrorOptions {
  cause?: unknown;
  /** Whether the same request may succeed later. Default: true for `rate_limit`, `overloaded`, `network` and `bad_response`. */
  retryable?: boolean;
  /** HTTP status. */
  status?: number;
  /** The delay that the provider asked for, in milliseconds. */
  retryAfterMs?: number;
}

const retryableCodes: ReadonlySet<AiErrorCode> = new Set(["rate_limit", "overloaded", "network", "bad_response"]);

/** A failed model call. Branch on `code`; `message` is for people. */
export class AiError extends Error {
  override readonly name = "AiError";
  readonly [brand] = "ai";
  readonly code: AiErrorCode;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: AiErrorCode, message: string, options: AiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? retryableCodes.has(code);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Whether `error` is an `AiError`, including one of another loaded copy of this package. */
export function isAiError(error: unknown): error is AiError {
  return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[brand] === "ai";
}
