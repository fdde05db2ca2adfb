/** Brand of every error class of pikit, so that errors of a second loaded copy are recognised. */
const brand = Symbol.for("pikit.error");

/** The agent answered a command with `success: false`. */
export class RpcCommandError extends Error {
  override readonly name = "RpcCommandError";
  readonly [brand] = "rpc";
  readonly code = "command_failed";
  /** The command that was refused. */
  readonly command: string;
  /** The agent's own text. */
  readonly reason: string;

  constructor(command: string, reason: string) {
    super(`The agent refused "${command}": ${reason}`);
    this.command = command;
    this.reason = reason;
  }
}

/**
 * What the agent sent, or was to be sent, breaks the protocol.
 *
 * - `bad_record`: a record without the fields that its type must have
 * - `too_long`: a record longer than either side reads
 */
export type RpcProtocolErrorCode = "bad_record" | "too_long";

/** The two sides do not speak the same protocol; other requests and the process are not affected. */
export class RpcProtocolError extends Error {
  override readonly name = "RpcProtocolError";
  readonly [brand] = "rpc";
  readonly code: RpcProtocolErrorCode;

  constructor(code: RpcProtocolErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What was asked for did not come in time. A command was sent and may still take effect; its late answer is ignored. */
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

/** The caller's signal was aborted before the answer came. A command that was sent may still take effect; its late answer is ignored. */
export class RpcAbortError extends Error {
  override readonly name = "RpcAbortError";
  readonly [brand] = "rpc";
  readonly code = "aborted";
  readonly command: string;

  /** @param reason - The signal's; becomes the `cause`. */
  constructor(command: string, reason: unknown) {
    super(`The call of "${command}" was aborted by its signal.`, { cause: reason });
    this.command = command;
  }
}

/** A run whose text was being read failed after its prompt was accepted. */
export class RpcRunError extends Error {
  override readonly name = "RpcRunError";
  readonly [brand] = "rpc";
  readonly code = "run_failed";
  /** What the provider or the agent said. */
  readonly reason: string;

  constructor(reason: string) {
    super(`The run failed: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Why there is no agent process to talk to.
 *
 * - `not_found`: no CLI to run, or no such runtime or working folder
 * - `start_failed`: the operating system could not run it
 * - `start_timeout`: it gave no first answer in time and was killed
 * - `wrong_version`: it speaks another version of the protocol and was killed
 * - `already_started`: `start` was called while it runs
 * - `not_started`: a command was sent before `start`
 * - `exited`: it ended by itself: crashed, was killed, or closed its input or output
 * - `gave_up`: it crashed again and again and is not started any more; `cause` is the last crash
 * - `stopped`: `stop` was called, or the pool was closed
 */
export type AgentProcessErrorCode =
  | "not_found"
  | "start_failed"
  | "start_timeout"
  | "wrong_version"
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

/** The agent process cannot be started, is not running, or ended while something waited for it. */
export class AgentProcessError extends Error {
  override readonly name = "AgentProcessError";
  readonly [brand] = "rpc";
  readonly code: AgentProcessErrorCode;
  /** Null when it never ran, still runs, or was ended by a signal. */
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

/** Every error that a client rejects with. Branch on `code`, or on `name` to narrow. */
export type RpcError = RpcCommandError | RpcProtocolError | RpcTimeoutError | RpcAbortError | RpcRunError | AgentProcessError;

/** Whether `error` is one of this package's, also of another loaded copy. */
export function isRpcError(error: unknown): error is RpcError {
  return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[brand] === "rpc";
}
