import { cutDeep, isTooDeep } from "./nesting.ts";

/** Most characters of a provider's message that an error repeats. */
const maxMessageLength = 4096;

/** Pieces of text that can be a key; providers repeat keys in their answers, whole or masked with asterisks. */
const keyCandidates = /\bBearer\s+(?=\S*[\d._-])[\w*.~+/=-]{8,}|[\w*.-]{8,}/gi;
const keyPrefix = /^(?:Bearer\s|(?:sk|pk|rk|gsk|xai|csk|tgp|nvapi)[-_]|AIza)/i;

const urlCredentials = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** `text` without keys and URL credentials, cut to a readable length. */
export function cleanText(text: string): string {
  // Cut before the patterns see it: some of them take longer than linear.
  const clean = text
    .slice(0, 2 * maxMessageLength)
    .replace(keyCandidates, (found) => (keyPrefix.test(found) || found.includes("***") ? "<key>" : found))
    .replace(urlCredentials, "$1")
    .trim();
  return clean.length > maxMessageLength ? `${clean.slice(0, maxMessageLength)}…` : clean;
}

/** The provider's own words in the body of an error response, whatever form it has. */
export function readErrorText(body: string): string {
  try {
    return describeErrorBody(JSON.parse(body)) || body;
  } catch {
    return /<(?:!doctype|html|head|body|title)\b/i.test(body) ? describeHtml(body) : body;
  }
}

/** The message inside a parsed error body; the body as JSON when it holds none. */
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

/** What the body of an error response says besides its message. */
export interface ErrorFields {
  /** The names that it gives the error, as one text. */
  code: string;
  /** Google's way to say Retry-After, such as `retryDelay: "39s"`. */
  retryDelayMs?: number;
  /** Google's names of the quotas that are used up. */
  quotaIds?: readonly string[];
}

/** Reads the fields of an error body; there are none where it is not JSON. */
export function readErrorFields(body: string): ErrorFields {
  try {
    const parsed: unknown = JSON.parse(body);
    return fieldsOfError(Array.isArray(parsed) ? parsed[0] : parsed);
  } catch {
    return { code: "" }; // no JSON
  }
}

/** As `readErrorFields`, from a body or the error in it. */
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

/** A proxy's error page says in its title what a whole page of markup repeats. */
function describeHtml(html: string): string {
  const start = html.slice(0, maxMessageLength);
  const title = /<title[^>]*>([^<]*)/i.exec(start)?.[1]?.trim();
  if (title) return title;
  const text = start.replace(/<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>/gi, " ");
  return text.replace(/\s+/g, " ").trim().slice(0, 200);
}
