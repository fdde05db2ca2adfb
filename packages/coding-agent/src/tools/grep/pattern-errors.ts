import { ToolError } from "@pikit/agent";

const literalAdvice = "Correct it, or set literal to true to search for the text as it is.";
const onlyLines = "Lines are searched one by one. Search for what is in one of them.";

/**
 * Creates the error for a pattern that an engine refuses.
 *
 * @param reason - The reason from the engine, such as `unclosed group`.
 */
export function invalidPattern(pattern: string, reason: string, cause?: unknown): ToolError {
  const shown = pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern;
  const text = `"${shown}" is not a valid regular expression: ${reason}. ${literalAdvice}`;
  return new ToolError("invalid_pattern", text, { cause });
}

/** @throws {ToolError} `invalid_pattern` for a pattern with characters that no line contains. */
export function assertOneLine(pattern: string): void {
  if (/[\r\n]/.test(pattern)) throw lineBreakInPattern(pattern);
  if (pattern.includes("\0"))
    throw new ToolError("invalid_pattern", "The pattern has a NUL character, which no text file has. Remove it.");
}

/** Creates the error for a pattern with a line break. */
export function lineBreakInPattern(pattern: string): ToolError {
  const shown = JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern);
  return new ToolError("invalid_pattern", `The pattern ${shown} has a line break. ${onlyLines}`);
}

/** Converts the message of ripgrep about a pattern, without its markers and its advice for the command line. */
export function explainRefusal(pattern: string, message: string): ToolError {
  if (/literal "\\[nr]" is not allowed/.test(message)) return lineBreakInPattern(pattern);
  const reason = /^error: (.+)$/m.exec(message)?.[1] ?? /^rg: (.+)$/m.exec(message)?.[1] ?? "ripgrep refuses it";
  return invalidPattern(pattern, reason.replace(/\.$/, ""));
}
