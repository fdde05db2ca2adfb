import { isUsedUp } from "./allowance.ts";
import { answerLimits } from "./answer-limits.ts";
import { keyVariablesOf } from "./auth.ts";
import { AiError, type AiErrorCode, isAiError } from "./errors.ts";
import { isTooDeep } from "./nesting.ts";
import { isOverflowText } from "./overflow.ts";
import { cleanText, describeErrorBody, fieldsOfError, readErrorFields, readErrorText } from "./provider-text.ts";
import { readBody } from "./read-body.ts";
import type { Model } from "./types.ts";

/** The facts about a failed response besides its status and message. */
export interface FailedAnswer {
  /** The provider's id. The message names it, and for 401 and 403 also the environment variable of its key. */
  provider: string;
  /** The delay that the provider asked for, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** The provider's `x-should-retry` header; it takes precedence over the status. */
  shouldRetry?: boolean | undefined;
  /** The error type of an error inside a stream, such as `overloaded_error`. */
  type?: string | undefined;
  /** The error codes in the response body. They classify the error but are not shown. */
  bodyCode?: string | undefined;
  /** See `RefusalFacts`. */
  quotaIds?: readonly string[] | undefined;
  /** Whether a 400 or 413 without a message means an overflow: Cerebras sends no message for it. */
  emptyIsOverflow?: boolean | undefined;
  cause?: unknown;
}

/** Milliseconds. When a provider asks for a longer delay, there is no automatic retry. */
const longestWaitMs = 60_000;

/** Statuses after which a retry can succeed. */
const retryableStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529]);

/** Statuses that may mean an overflow, depending on the text. Never 429: that one needs a retry. */
const overflowStatuses: ReadonlySet<number> = new Set([400, 413, 422, 500]);

/** Texts of answers that a filter or the model itself refused; a retry gives the same result. */
const refusalTexts = /\bcontent_filter\b|content_policy_violation|responsible_?ai_?policy/i;

/** Texts of errors without a status for which a retry can succeed. */
const overloadTexts =
  /overloaded|high demand|server_error|internal (?:server )?error|service unavailable|provider returned error|resource_?exhausted|you can retry your request|try your request again/i;

/** The server could not parse the model's tool call; a retry can succeed. */
const badCallTexts = /\btool_use_failed\b/;

/** Texts of errors with status 500 that the same request always causes. */
const deterministicTexts = /failed to parse tool call arguments as json/i;

/** The request has more tokens than the limit per minute, so only a shorter conversation helps. Source: OpenAI and Groq, 429. */
const tokensPerMinute = /\(TPM\)\D{0,20}Limit:? ([\d,]+)\D{0,40}Requested:? ([\d,]+)/i;

/** Texts of requests with too many bytes, usually images, for providers that do not use status 413. */
const tooLargeTexts = /request_too_large|request entity too large|payload (?:is )?too large/i;

/** Texts of a wrong key at Google, which sends them with status 400 instead of 401. */
const badKeyTexts = /api key not valid|api key expired|API_KEY_INVALID/i;

/** The HTTP status that corresponds to an error inside a stream, by error type. */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  context_length_exceeded: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  internal_error: 500,
  internal_server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
  // Google
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
  // Groq
  tool_use_failed: 400,
};

/**
 * Creates the error for a failed HTTP status. The status decides the code, and the texts refine it, for example to tell an overflow from
 * other bad requests. An exhausted quota of a day or longer is a `rate_limit` that is not retryable, whatever the status.
 */
export function errorForStatus(status: number, message: string, answer: FailedAnswer): AiError {
  const { provider, retryAfterMs, type, cause } = answer;
  const text = cleanText(message);
  const signals = `${text} ${type ?? ""} ${answer.bodyCode ?? ""}`;
  const isSilentOverflow = answer.emptyIsOverflow === true && text === "" && (status === 400 || status === 413);
  const named = `${type ?? ""} ${answer.bodyCode ?? ""}`;
  const usedUp = status !== 401 && isUsedUp({ text: signals, code: named, quotaIds: answer.quotaIds, retryAfterMs });
  const code = isSilentOverflow ? "context_overflow" : usedUp ? "rate_limit" : codeOf(status, signals);
  const hint = keyHint(code, provider) + waitHint(retryAfterMs);
  return new AiError(code, `${type ?? status} from ${provider}: ${text || "no message"}${hint}`, {
    status,
    retryable: !usedUp && isRetryable(status, code, signals, answer.shouldRetry),
    cause,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Tells the user how long to wait when the delay is too long for an automatic retry. */
function waitHint(retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined || retryAfterMs <= longestWaitMs) return "";
  return ` (asks to wait ${Math.ceil(retryAfterMs / 1000)} s, but automatic retries wait at most ${longestWaitMs / 1000} s)`;
}

function isRetryable(status: number, code: AiErrorCode, signals: string, shouldRetry: boolean | undefined): boolean {
  if (code === "context_overflow" || code === "request_too_large" || code === "refused") return false;
  if (shouldRetry !== undefined) return shouldRetry;
  if (status === 400 && badCallTexts.test(signals)) return true;
  return retryableStatuses.has(status) && !(status === 500 && deterministicTexts.test(signals));
}

/**
 * Creates the error for a response that is not a success; reads the beginning of its body.
 *
 * @param secrets - The credentials of the request. The provider's message may repeat them; our message must not.
 */
export async function errorOfResponse(
  response: Response,
  provider: string,
  secrets: readonly string[] = [],
  { emptyIsOverflow }: Pick<FailedAnswer, "emptyIsOverflow"> = {},
): Promise<AiError> {
  const { bodyBytes: maxBytes, bodyMs: maxMs } = answerLimits;
  let body = await readBody(response.body, { maxBytes, maxMs }).then(
    ({ text }) => text,
    () => "",
  );
  for (const secret of secrets) body = body.replaceAll(secret, "<key>");
  const { code, retryDelayMs, quotaIds } = readErrorFields(body);
  const { retryAfterMs = retryDelayMs, shouldRetry } = readRetryHeaders(response.headers);
  return errorForStatus(response.status, readErrorText(body), {
    provider,
    retryAfterMs,
    shouldRetry,
    bodyCode: code,
    quotaIds,
    emptyIsOverflow,
  });
}

/**
 * Creates the error that a provider reports inside a stream, after status 200.
 *
 * @param error - `body` is the complete error object, which may have more fields.
 */
export function errorInStream(error: { type?: unknown; message: string; body?: unknown }, provider: string): AiError {
  const type = typeof error.type === "number" ? String(error.type) : typeof error.type === "string" ? error.type : "";
  const status = Object.hasOwn(statusOfType, type) ? statusOfType[type] : tryParseStatus(type);
  if (status !== undefined) {
    const { code: bodyCode, retryDelayMs: retryAfterMs, quotaIds } = fieldsOfError(error.body);
    return errorForStatus(status, error.message, { provider, type: type || undefined, bodyCode, retryAfterMs, quotaIds });
  }
  const text = cleanText(error.message) || "no message";
  const { code, retryable } = classifyText(`${text} ${type}`) ?? { code: "bad_response", retryable: true };
  return new AiError(code, `${type || "error"} from ${provider}: ${text}`, { retryable });
}

/** Classifies the text of an error without a status; undefined for unknown texts. */
function classifyText(text: string): { code: AiErrorCode; retryable: boolean } | undefined {
  if (isUsedUp({ text })) return { code: "rate_limit", retryable: false };
  if (isOverflowText(text)) return { code: "context_overflow", retryable: false };
  if (refusalTexts.test(text)) return { code: "refused", retryable: false };
  return overloadTexts.test(text) ? { code: "overloaded", retryable: true } : undefined;
}

/** Converts any error of a model call to an `AiError`. An `AbortError` counts as a broken connection: `stream` handles the caller's abort. */
export function toAiError(error: unknown, model: Model): AiError {
  if (isAiError(error)) return error;
  const wrapped = causesOf(error).find(isAiError);
  if (wrapped) return wrapped;
  const answer = readSdkError(error);
  if (answer) {
    const { status, body, headers } = answer;
    return errorForStatus(status, body, { provider: model.provider, cause: error, ...readRetryHeaders(headers) });
  }
  if (isNetworkError(error)) return networkError(error, model.provider);
  const text = cleanText(describeThrown(error)) || "Unknown error";
  const { code, retryable } = classifyText(text) ?? { code: "invalid_request", retryable: false };
  return new AiError(code, text, { retryable, cause: error });
}

/** Creates the error for a connection that could not be opened, or that broke. */
export function networkError(error: unknown, provider: string): AiError {
  return new AiError("network", `No answer from ${provider}: ${cleanText(describeThrown(error)) || "the connection broke"}`, {
    cause: error,
  });
}

function codeOf(status: number, text: string): AiErrorCode {
  if (status === 429 || status === 413) {
    const [, limit, requested] = (tokensPerMinute.exec(text) ?? []).map((count) => Number(count.replaceAll(",", "")));
    if (limit !== undefined && requested !== undefined && requested > limit) return "context_overflow";
  }
  if (status === 400 && refusalTexts.test(text)) return "refused";
  if (overflowStatuses.has(status) && isOverflowText(text)) return "context_overflow";
  if (status === 401 || status === 403 || (status === 400 && badKeyTexts.test(text))) return "auth";
  if (status === 413 || (status === 400 && tooLargeTexts.test(text))) return "request_too_large";
  if (status === 429) return "rate_limit";
  return status >= 500 || retryableStatuses.has(status) ? "overloaded" : "invalid_request";
}

function keyHint(code: AiErrorCode, provider: string): string {
  if (code !== "auth") return "";
  const variables = keyVariablesOf(provider).join(" or ");
  return variables ? ` (check ${variables})` : ` (check the API key configured for ${provider})`;
}

/** Reads an error of a provider SDK. It is recognised by its fields, because each SDK has its own classes. */
function readSdkError(error: unknown): { status: number; body: string; headers: Headers | undefined } | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { status, error: body, headers, message } = error as Record<string, unknown>;
  if (typeof status !== "number" || status < 400 || status > 599) return undefined;
  const own = typeof message === "string" ? withoutStatus(message, status) : "";
  const text = body === undefined || body === null ? readErrorText(own) : describeErrorBody(body);
  return { status, body: text, headers: headers instanceof Headers ? headers : undefined };
}

/** The SDKs put the status in front of their messages. */
function withoutStatus(message: string, status: number): string {
  return message.startsWith(String(status)) ? message.slice(String(status).length).trimStart() : message;
}

function readRetryHeaders(headers: Headers | undefined): Pick<FailedAnswer, "retryAfterMs" | "shouldRetry"> {
  const shouldRetry = headers?.get("x-should-retry");
  return {
    retryAfterMs: headers && readRetryAfterMs(headers),
    shouldRetry: shouldRetry === "true" ? true : shouldRetry === "false" ? false : undefined,
  };
}

/** A delay of more than 30 days is an error of the server, and is ignored. */
const maxRetryAfterMs = 30 * 24 * 3600 * 1000;

/** Reads milliseconds, seconds or a date. A value that is negative or not a number is ignored. */
function readRetryAfterMs(headers: Headers): number | undefined {
  const milliseconds = headers.get("retry-after-ms");
  const after = headers.get("retry-after");
  if (milliseconds === null && after === null) return undefined;
  let value = milliseconds === null ? Number.NaN : Number.parseFloat(milliseconds);
  if (Number.isNaN(value) && after !== null) {
    value = /^\s*-?[\d.]+\s*$/.test(after) ? Number.parseFloat(after) * 1000 : Date.parse(after) - Date.now();
  }
  return Number.isFinite(value) && value >= 0 && value <= maxRetryAfterMs ? Math.ceil(value) : undefined;
}

const networkCodes =
  /^(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+|ERR_SSL_\w+|ERR_TLS_\w+|CERT_\w+)$/;
const networkTexts =
  /fetch failed|terminated|socket hang up|other side closed|premature close|upstream connect error|reset before headers|connection (?:lost|error)|timed? ?out/i;

function isNetworkError(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    if (!(cause instanceof Error)) return false;
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === "string" && networkCodes.test(code)) return true;
    return cause.name === "AbortError" || networkTexts.test(cause.message);
  });
}

/** The messages of an error and its causes, without repetition. */
function describeThrown(error: unknown): string {
  const texts: string[] = [];
  for (const cause of causesOf(error)) {
    const text = describeOne(cause);
    if (text && !texts.some((earlier) => earlier.includes(text))) texts.push(text);
  }
  return texts.join(": ");
}

function describeOne(error: unknown): string {
  // All addresses of a host failed: the message is empty, but each inner error has one.
  if (error instanceof AggregateError && error.message === "") return describeOne(error.errors[0]);
  if (error instanceof Error) return error.message || (error as NodeJS.ErrnoException).code || error.name;
  if (typeof error !== "object" || error === null) return String(error);
  return isTooDeep(error) ? "an object that cannot be shown" : describeErrorBody(error);
}

/** The error and its causes, outermost first. Limited in depth, because causes may form a cycle. */
function causesOf(error: unknown): unknown[] {
  const causes = [error];
  for (let depth = 0; depth < 5; depth += 1) {
    const next = causes.at(-1);
    if (!(next instanceof Error) || next.cause === undefined || next.cause === null) break;
    causes.push(next.cause);
  }
  return causes;
}

function tryParseStatus(text: string): number | undefined {
  return /^[45]\d\d$/.test(text) ? Number(text) : undefined;
}
