/** The brand of all error classes of pikit. It identifies errors of a second loaded copy, too. */
const brand = Symbol.for("pikit.error");

/**
 * The reason for a `SessionError`.
 *
 * - `busy`: a run is active
 * - `disposed`: the session was disposed of
 * - `no_model`, `no_credentials`: no model is chosen, or its provider has no key
 * - `invalid_input`: the prompt or an argument is invalid
 * - `not_found`, `read_failed`, `write_failed`, `not_a_session`, `unsupported_version`: problems with the session file
 * - `nothing_to_compact`, `compaction_failed`, `aborted`: the requested compaction did not happen
 * - `cancelled`: an extension refused the move to another session or branch
 * - `nothing_to_undo`: no change of files is kept that could be undone, or taken back
 * - `unsupported_runtime`: Bun before 1.4, or Windows itself
 * - `locked`: another process, or another session of this one, writes to the session file
 */
export type SessionErrorCode =
  | "busy"
  | "disposed"
  | "no_model"
  | "no_credentials"
  | "invalid_input"
  | "not_found"
  | "read_failed"
  | "write_failed"
  | "not_a_session"
  | "unsupported_version"
  | "nothing_to_compact"
  | "compaction_failed"
  | "aborted"
  | "cancelled"
  | "nothing_to_undo"
  | "unsupported_runtime"
  | "locked";

/** A session refused an operation or failed; `message` says what to do. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly [brand] = "session";
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Whether `error` is a `SessionError`, including one of another loaded copy of this package: stores of other packages throw these. */
export function isSessionError(error: unknown): error is SessionError {
  return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[brand] === "session";
}

/**
 * The reason for a `UsageError`.
 *
 * - `invalid_arguments`: an option, its value or a combination of options is invalid
 * - `no_prompt`: neither the command line nor a pipe has a prompt
 * - `invalid_session_id`: the format of a session id is invalid
 * - `unreadable_file`: an `@file` cannot be read, or is neither text nor an image; or piped input is too long
 * - `unknown_model`: a model or provider does not exist
 * - `invalid_config`: a configuration file, or a field in it, is malformed
 * - `config_unavailable`: a configuration file cannot be read, locked or written
 * - `package_failed`: a package cannot be installed, updated or removed
 * - `sandbox_unavailable`: the settings require a sandbox, and this machine cannot make one
 */
export type UsageErrorCode =
  | "invalid_arguments"
  | "no_prompt"
  | "invalid_session_id"
  | "unreadable_file"
  | "unknown_model"
  | "invalid_config"
  | "config_unavailable"
  | "package_failed"
  | "sandbox_unavailable";

/** An unknown word, and the known words that may have been intended. */
export interface UnknownWord {
  typed: string;
  words: readonly string[];
}

/** The codes for malformed input. The other codes are for well-formed input that refers to missing or unavailable things. */
const malformed: ReadonlySet<UsageErrorCode> = new Set(["invalid_arguments", "no_prompt", "invalid_session_id"]);

/** Invalid input of the user before a session exists; ends the command with `exitCode`. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly [brand] = "usage";
  readonly code: UsageErrorCode;
  /** The unknown word, for which the command suggests a known one. */
  readonly unknown: UnknownWord | undefined;

  constructor(code: UsageErrorCode, message: string, unknown?: UnknownWord) {
    super(message);
    this.code = code;
    this.unknown = unknown;
  }

  /** 2 for malformed input, 1 for the other codes. */
  get exitCode(): 1 | 2 {
    return malformed.has(this.code) ? 2 : 1;
  }
}
