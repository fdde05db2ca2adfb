import { cutDeep, isTooDeep } from "./nesting.ts";

/** Maximum characters of a provider's message in our errors. */
const maxMessageLength = 4096;

/** Words that may be a key: providers repeat keys in their messages, complete or masked with asterisks. */
const keyCandidates = /\bBearer\s+(?=\S*[\d._-])[\w*.~+/=-]{8,}|[\w*.-]{8,}/gi;
const keyPrefix = /^(?:Bearer\s|(?:sk|pk|rk|gsk|xai|csk|tgp|nvapi)[-_]|AIza)/i;

const urlCredentials = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** Removes keys and URL credentials from `text`, and cuts it to a readable length. */
export function cleanText(text: string): string {
  // Cut first, because some of the patterns take more than linear time.
  const clean = text
    .slice(0, 2 * maxMessageLength)
    .replace(keyCandidates, (found) => (keyPrefix.test(found) || found.includes("***") ? "<key>" : found))
    .replace(urlCredentials, "$1")
    .trim();
  return clean.length > maxMessageLength ? `${clean.slice(0, maxMessageLength)}…` : clean;
}

/** Extracts the provider's message from the body of an error response in JSON, HTML or plain text. */
export function readErrorText(body: string): string {
  try {
    return describeErrorBody(JSON.parse(body)) || body;
  } catch {
    return /<(?:!doctype|html|head|body|title)\b/i.test(body) ? describeHtml(body) : body;
  }
}

/** The message in a parsed error body, or the body as JSON if it has none. */
export function describeErrorBody(body: unknown): string {
  if (typeof body === "string") return body;
  if (typeof body !== "object" || body === null) return "";
  // Google wraps the error of a stream in a list.
  if (isTooDeep(body)) return describeErrorBody(cutDeep(body));
  if (Array.isArray(body) && body.length === 1) return describeErrorBody(body[0]);
  const { error, message, detail } = body as { error?: unknown; message?: unknown; detail?: unknown };
  if (typeof error === "object" && error !== null) return describeErrorBody(error);
  for (const text of [message, error, detail]) if (typeof text === "string" && text !== "") return text;
  return JSON.stringify(message ?? detail ?? body);
}

/** The fields of an error body besides its message. */
export interface ErrorFields {
  /** The error codes, joined with spaces. */
  code: string;
  /** Google's form of Retry-After, such as `retryDelay: "39s"`. */
  retryDelayMs?: number;
  /** Google's names of the exhausted quotas. */
  quotaIds?: readonly string[];
}

/** Reads the fields of an error body; empty if it is not JSON. */
export function readErrorFields(body: string): ErrorFields {
  try {
    const parsed: unknown = JSON.parse(body);
    return fieldsOfError(Array.isArray(parsed) ? parsed[0] : parsed);
  } catch {
    return { code: "" }; // not JSON
  }
}

/** Like `readErrorFields`, for a parsed body or the error in it. */
export function fieldsOfError(body: unknown): ErrorFields {
  const outer = asRecord(body);
  const { code, type, status, details, innererror } = typeof outer.error === "object" ? asRecord(outer.error) : outer;
  const names = [code, type, status, asRecord(innererror).code].filter((name) => typeof name === "string");
  const facts = (Array.isArray(details) ? details : []).map(asRecord);
  const delay = facts
    .map(({ retryDelay }) => retryDelay)
    .find((value) => typeof value === "string" && /^\d+(?:\.\d+)?s$/.test(value));
  const violations = facts.flatMap((fact) => (Array.isArray(fact.violations) ? fact.violations.map(asRecord) : []));
  const quotaIds = violations.map(({ quotaId }) => quotaId).filter((id) => typeof id === "string");
  return {
    code: names.join(" "),
    ...(delay !== undefined && { retryDelayMs: Math.ceil(Number.parseFloat(delay as string) * 1000) }),
    ...(quotaIds.length > 0 && { quotaIds }),
  };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The title of a proxy's error page has the whole message. */
function describeHtml(html: string): string {
  const start = html.slice(0, maxMessageLength);
  const title = /<title[^>]*>([^<]*)/i.exec(start)?.[1]?.trim();
  if (title) return title;
  const text = start.replace(/<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>/gi, " ");
  return text.replace(/\s+/g, " ").trim().slice(0, 200);
}
