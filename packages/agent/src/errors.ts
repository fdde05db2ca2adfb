/** Brand of every error class of pikit, so that errors of a second loaded copy are recognised. */
const brand = Symbol.for("pikit.error");

export interface ToolErrorOptions {
  cause?: unknown;
  /** Goes into the error result's `details`; must be JSON. */
  details?: unknown;
}

/** A tool failed; the model receives the message. Say what failed, what was expected, and what to do next. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly [brand] = "tool";
  /** For hosts to branch on, in snake_case: `not_found`, `timeout`, `aborted` … */
  readonly code: string;
  readonly details: unknown;

  constructor(code: string, message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? null;
  }
}

/** A tool whose schema nothing can be checked against. `reason` says why, without a full stop. */
export function unusableSchema(reason: string, cause?: unknown): ToolError {
  const message = `The tool's parameter schema cannot be used: ${reason}. This is a fault of the tool.`;
  return new ToolError("invalid_schema", message, { cause });
}

/** Whether `error` is a `ToolError`, also one of another loaded copy of this package. */
export function isToolError(error: unknown): error is ToolError {
  return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[brand] === "tool";
}

/** What was asked of an `Agent` cannot be done in its present state (`busy`, `no_model`, `nothing_to_continue`; nothing has changed), or a run was stopped (`aborted`). */
export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly [brand] = "agent";
  readonly code: "busy" | "no_model" | "nothing_to_continue" | "aborted";

  constructor(code: AgentError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
