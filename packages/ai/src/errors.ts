/** Brand of every error class of pikit, so that errors of a second loaded copy are recognised. */
const brand = Symbol.for("pikit.error");

/**
 * Why a model call failed.
 *
 * - `auth`: no credentials, or the provider refused them (401, 403)
 * - `rate_limit`: too many requests or a used-up quota (429)
 * - `overloaded`: the provider cannot serve now (408, 5xx, 529)
 * - `invalid_request`: the provider rejects the request as it is (other 4xx)
 * - `context_overflow`: the conversation is longer than the model's window
 * - `request_too_large`: the request has more bytes than the provider takes, whatever its tokens (413)
 * - `network`: no connection, or it broke
 * - `bad_response`: the answer is not what the wire protocol says, ends early, or stops for an unknown reason
 * - `refused`: the model or a filter declined to answer
 * - `unsupported`: no such api or model
 * - `aborted`: the caller's signal
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
  /** Whether the same request may succeed later. Default: what the code suggests. */
  retryable?: boolean;
  /** HTTP status. */
  status?: number;
  /** What the provider asked us to wait, in milliseconds. */
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

/** Whether `error` is an `AiError`, also one of another loaded copy of this package. */
export function isAiError(error: unknown): error is AiError {
  return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[brand] === "ai";
}
