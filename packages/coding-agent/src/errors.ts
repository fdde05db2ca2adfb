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

/** What was asked of the command line cannot be understood; ends the process with `exitCode`. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly [brand] = "usage";
  /** 2 for a malformed command line, 1 for something well-formed that does not exist. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
