/** The status of each error code of an HTTP answer. */
export const statusOfCode = {
  elsewhere: 307,
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  key_reused: 409,
  too_large: 413,
  unsupported_media_type: 415,
  cannot_open: 422,
  too_many: 429,
  headers_too_large: 431,
  internal: 500,
  closing: 503,
  unavailable: 503,
} as const;

export type HttpErrorCode = keyof typeof statusOfCode;

/** A refused or failed request. `message` is one or more sentences for the client; it never contains a secret. */
export class HttpError extends Error {
  readonly code: HttpErrorCode;
  /** Further headers of the answer, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return statusOfCode[this.code];
  }
}

/** The seconds after which a client may try again, as a header. */
export const retrySoon: Readonly<Record<string, string>> = { "retry-after": "1" };
