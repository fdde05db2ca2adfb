/** Brand of every error class of pikit, to recognise errors of a second loaded copy. */
const brand = Symbol.for("pikit.error");

export interface ToolErrorOptions {
  cause?: unknown;
  /** The `details` of the error result; must be JSON. */
  details?: unknown;
}

/** A tool failed; the model receives the message. Say what failed, what was expected, and what to do next. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly [brand] = "tool";
  /** A code in snake_case on which hosts can branch: `not_found`, `timeout`, `aborted` … */
  readonly code: string;
  readonly details: unknown;

  constructor(code: string, message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? null;
  }
}

/** Creates the error for a tool with an unusable schema. @param reason - A clause without a full stop. */
export function unusableSchema(reason: string, cause?: unknown): ToolError {
  const message = `The tool's parameter schema cannot be used: ${reason}. This is a fault of the tool.`;
  return new ToolError("invalid_schema", message, { cause });
}

/** Whether `error` is a `ToolError`, including one of another loaded copy of this package. */
export function isToolError(error: unknown): error is ToolError {
  return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[brand] === "tool";
}

/**
 * The `Agent` cannot do this in its present state (`busy`, `no_model`, `nothing_to_continue`; nothing has changed), or a run was aborted
 * (`aborted`).
 */
export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly [brand] = "agent";
  readonly code: "busy" | "no_model" | "nothing_to_continue" | "aborted";

  constructor(code: AgentError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
