/** Brand of every error class of pikit, to recognise errors of a second loaded copy. */
const brand = Symbol.for("pikit.error");

/** The response to a command had `success: false`. */
export class RpcCommandError extends Error {
  override readonly name = "RpcCommandError";
  readonly [brand] = "rpc";
  readonly code = "command_failed";
  /** The command that failed. */
  readonly command: string;
  /** The error text of the response. */
  readonly reason: string;

  constructor(command: string, reason: string) {
    super(`The agent refused "${command}": ${reason}`);
    this.command = command;
    this.reason = reason;
  }
}

/**
 * A record that was received, or that should be sent, violates the protocol.
 *
 * - `bad_record`: a record without the required fields of its type
 * - `too_long`: a record above the maximum length
 */
export type RpcProtocolErrorCode = "bad_record" | "too_long";

/** A violation of the protocol. The process keeps running. */
export class RpcProtocolError extends Error {
  override readonly name = "RpcProtocolError";
  readonly [brand] = "rpc";
  readonly code: RpcProtocolErrorCode;

  constructor(code: RpcProtocolErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A timeout expired. A command that was sent may still take effect; its late response is ignored. */
export class RpcTimeoutError extends Error {
  override readonly name = "RpcTimeoutError";
  readonly [brand] = "rpc";
  readonly code = "timeout";
  readonly command: string;
  readonly timeoutMs: number;

  constructor(command: string, timeoutMs: number, what = `The agent did not answer "${command}"`) {
    super(`${what} within ${timeoutMs} ms; raise timeoutMs if it may take longer.`);
    this.command = command;
    this.timeoutMs = timeoutMs;
  }
}

/** The caller's signal was aborted before the response. A command that was sent may still take effect; its late response is ignored. */
export class RpcAbortError extends Error {
  override readonly name = "RpcAbortError";
  readonly [brand] = "rpc";
  readonly code = "aborted";
  readonly command: string;

  /** @param reason - The signal's reason; becomes the `cause`. */
  constructor(command: string, reason: unknown) {
    super(`The call of "${command}" was aborted by its signal.`, { cause: reason });
    this.command = command;
  }
}

/** A run of `text()` failed after its prompt was accepted. */
export class RpcRunError extends Error {
  override readonly name = "RpcRunError";
  readonly [brand] = "rpc";
  readonly code = "run_failed";
  /** The error text of the provider or the agent. */
  readonly reason: string;

  constructor(reason: string) {
    super(`The run failed: ${reason}`);
    this.reason = reason;
  }
}

/**
 * The reason why there is no agent process.
 *
 * - `not_found`: the CLI, the runtime or the working folder does not exist
 * - `start_failed`: the operating system could not start it
 * - `start_timeout`: it sent no first response in time and was killed
 * - `wrong_version`: it has another version of the protocol and was killed
 * - `refused`: a server refused the connection for good: a wrong token, a session that does not exist, options that it does not accept
 * - `already_started`: `start` was called while it was running
 * - `not_started`: a command was sent before `start`
 * - `exited`: it ended unexpectedly: it crashed, was killed, or closed its input or output; or a server restarted
 * - `gave_up`: it crashed after each restart and is not restarted again; `cause` is the last crash. Or a server was not reached again
 * - `stopped`: `stop` was called, or the pool was closed
 */
export type AgentProcessErrorCode =
  | "not_found"
  | "start_failed"
  | "start_timeout"
  | "wrong_version"
  | "refused"
  | "already_started"
  | "not_started"
  | "exited"
  | "gave_up"
  | "stopped";

export interface AgentProcessErrorOptions {
  cause?: unknown;
  exitCode?: number | null;
  signal?: string | null;
  stderrTail?: string;
}

/** The agent cannot be started or reached, is not running, or ended during a call. */
export class AgentProcessError extends Error {
  override readonly name = "AgentProcessError";
  readonly [brand] = "rpc";
  readonly code: AgentProcessErrorCode;
  /** Null if it never started, is still running, or was ended by a signal. */
  readonly exitCode: number | null;
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal: string | null;
  /** The last characters that it wrote to stderr, at most 16,384. */
  readonly stderrTail: string;

  constructor(code: AgentProcessErrorCode, message: string, options: AgentProcessErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.exitCode = options.exitCode ?? null;
    this.signal = options.signal ?? null;
    this.stderrTail = options.stderrTail ?? "";
  }
}

/**
 * What a connection to a server could not hand over.
 *
 * - `outcome_unknown`: the server restarted, or closed and reopened the session, before the response. The command may have been carried out.
 * - `events_missed`: events of the run were missed, its end among them; the conversation has its messages
 */
export type RpcConnectionErrorCode = "outcome_unknown" | "events_missed";

/** A call over a connection to a server has an unknown outcome. The client itself works on. */
export class RpcConnectionError extends Error {
  override readonly name = "RpcConnectionError";
  readonly [brand] = "rpc";
  readonly code: RpcConnectionErrorCode;

  constructor(code: RpcConnectionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Every error that a client rejects with. Branch on `code`, or on `name` to narrow. */
export type RpcError =
  | RpcCommandError
  | RpcProtocolError
  | RpcTimeoutError
  | RpcAbortError
  | RpcRunError
  | RpcConnectionError
  | AgentProcessError;

/** Whether `error` is an error of this package, including another loaded copy. */
export function isRpcError(error: unknown): error is RpcError {
  return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[brand] === "rpc";
}
