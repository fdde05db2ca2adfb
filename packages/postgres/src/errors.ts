import { isSessionError, SessionError, type SessionErrorCode } from "@pikit/coding-agent/errors";

/** The fields of an error of the system or of the server that matter here. `code` is a system error or an SQLSTATE. */
interface Failure {
  code?: unknown;
  message?: unknown;
}

/** Errors of the system that mean that the server is away, or that the connection to it was lost. */
const networkCodes: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN"],
  // The socket file of a server that is stopped; a name that cannot be resolved now.
  ...["ENOENT", "ENOTFOUND", "EAI_AGAIN"],
]);

/** Messages of `pg` for lost connections; these errors have no code. */
const lostPattern =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying|timeout expired|Query read timeout|The server does not support SSL|write after end)/;

/** SQLSTATEs after which the same statement may succeed on the same connection. Source: PostgreSQL, appendix "Error codes". */
const conflictCodes: ReadonlySet<unknown> = new Set(["40001", "40P01", "55P03"]);

/** SQLSTATEs after which the statement may succeed on another connection: the server stops, starts, is full of connections, or is a standby. */
const otherConnectionCodes: ReadonlySet<unknown> = new Set(["57P01", "57P02", "57P03", "57P05", "53300", "25006", "25P03"]);

/** Whether the connection is of no use any more, or leads to a server that cannot write. */
export function isLostConnection(error: unknown): boolean {
  const { code, message } = failureOf(error);
  if (typeof code === "string" && (code.startsWith("08") || networkCodes.has(code) || otherConnectionCodes.has(code))) return true;
  return code === undefined && typeof message === "string" && lostPattern.test(message);
}

/** Whether the same statement may succeed later. */
export function isTransient(error: unknown): boolean {
  return isLostConnection(error) || conflictCodes.has(failureOf(error).code);
}

/** Whether the error concerns the data of a statement, or its size: a statement with a part of it may succeed. */
export function isAboutData(error: unknown): boolean {
  const { code } = failureOf(error);
  // Data exception, program limit exceeded (such as the depth of JSON), out of memory, statement timeout, and the limits of JavaScript.
  return error instanceof RangeError || (typeof code === "string" && /^(?:22|54|53200|57014)/.test(code));
}

/** Whether a table, schema or column does not exist. */
export function isUndefined(error: unknown): boolean {
  return ["42P01", "3F000", "42703"].includes(String(failureOf(error).code));
}

/**
 * Creates the error of a failed operation. Its message never has the password.
 *
 * @param what - The operation, such as `Cannot open the session s-1`.
 * @param address - The address of the database, without its password.
 */
export function operationError(code: SessionErrorCode, what: string, address: string, cause: unknown): SessionError {
  // The lines of a copy may come from a store of another loaded copy of this class.
  if (isSessionError(cause)) return cause;
  return new SessionError(code, `${what} in the database ${address}: ${reasonAndAdvice(cause)}`, { cause });
}

function reasonAndAdvice(cause: unknown): string {
  const { code } = failureOf(cause);
  const reason = reasonOf(cause);
  const advice =
    adviceOn(code) ?? (isLostConnection(cause) ? "Check the address, and that the server runs and can be reached." : undefined);
  return advice === undefined ? `${reason}.` : `${reason}. ${advice}`;
}

function adviceOn(code: unknown): string | undefined {
  switch (code) {
    case "28P01":
    case "28000":
      return "Check the user, the password and the rules of pg_hba.conf.";
    case "3D000":
      return "Create the database, or correct the address.";
    case "42501":
      return "Grant the user this permission: the right to create a schema in the database, and all rights on the schema.";
    case "53100":
      return "Free space on the disk of the server; then the entries are stored with the next ones.";
    case "53300":
      return "Raise max_connections of the server, or use fewer connections (maxConnections).";
    case "25006":
      return "The server is a standby, or set to read only. Give the address of the primary.";
    case "54001":
      return "Raise max_stack_depth of the server, or nest the data less deeply.";
    default:
      return undefined;
  }
}

/** The reason in words, without a full stop. */
export function reasonOf(cause: unknown): string {
  const { code, message } = failureOf(cause);
  const text = typeof message === "string" && message !== "" ? message : String(code ?? cause);
  return text.replace(/\.$/, "");
}

function failureOf(error: unknown): Failure {
  // Connecting to all addresses of a name fails with one error for each.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0]);
  return typeof error === "object" && error !== null ? error : { message: String(error) };
}
