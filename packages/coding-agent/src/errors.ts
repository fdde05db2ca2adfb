/** Brand of every error class of pikit, so that errors of a second loaded copy are recognised. */
const brand = Symbol.for("pikit.error");

/**
 * Why a session cannot do what was asked.
 *
 * - `busy`: a run is going
 * - `disposed`: the session was let go of
 * - `no_model`, `no_credentials`: nobody to ask
 * - `invalid_input`: the prompt or an argument cannot be used
 * - `not_found`, `read_failed`, `write_failed`, `not_a_session`, `unsupported_version`: the session file
 * - `nothing_to_compact`, `compaction_failed`, `aborted`: a compaction that was asked for
 * - `cancelled`: an extension did not let the session go elsewhere
 * - `unsupported_runtime`: Bun before 1.4
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
  | "unsupported_runtime"
  | "locked";

/** A session refused or failed; `message` says what to do. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly [brand] = "session";
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Why what was asked for cannot be done, before there is a session.
 *
 * - `invalid_arguments`: an option, its value, or a combination of options of the command line
 * - `no_prompt`: the command line says nothing, and neither does a pipe
 * - `invalid_session_id`: an id that no session can have
 * - `unreadable_file`: an `@file` that cannot be read, or is neither text nor an image; piped input that is too long
 * - `unknown_model`: a model or provider that does not exist
 * - `invalid_config`: a configuration file that is malformed, or a field in it
 * - `config_unavailable`: a configuration file that cannot be read, locked or written
 */
export type UsageErrorCode =
  | "invalid_arguments"
  | "no_prompt"
  | "invalid_session_id"
  | "unreadable_file"
  | "unknown_model"
  | "invalid_config"
  | "config_unavailable";

/** A word that nobody knows, and those that it may be a typing error of. */
export interface UnknownWord {
  typed: string;
  words: readonly string[];
}

/** Codes of what is malformed; the others are of things that are well-formed and do not exist, or cannot be had. */
const malformed: ReadonlySet<UsageErrorCode> = new Set(["invalid_arguments", "no_prompt", "invalid_session_id"]);

/** What was asked for cannot be understood or does not exist; ends the command with `exitCode`. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly [brand] = "usage";
  readonly code: UsageErrorCode;
  /** Which word was wrong; the command names the one that was probably meant. */
  readonly unknown: UnknownWord | undefined;

  constructor(code: UsageErrorCode, message: string, unknown?: UnknownWord) {
    super(message);
    this.code = code;
    this.unknown = unknown;
  }

  /** 2 for what is malformed, 1 for what is well-formed and does not exist. */
  get exitCode(): 1 | 2 {
    return malformed.has(this.code) ? 2 : 1;
  }
}
