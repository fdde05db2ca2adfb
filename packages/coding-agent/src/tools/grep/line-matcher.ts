import { invalidPattern } from "./pattern-errors.ts";
import { toRe2 } from "./re2-pattern.ts";

/** @param line - Without line end. */
export type LineMatcher = (line: string) => boolean;

export interface LinePattern {
  pattern: string;
  isLiteral: boolean;
  ignoreCase: boolean;
}

/**
 * Creates a matcher for lines, which takes linear time for every pattern. It supports the syntax of ripgrep, except that `\b` and `\B` use
 * ASCII letters, and that invalid UTF-8 matches like U+FFFD.
 *
 * @throws {ToolError} `invalid_pattern`
 */
export async function createLineMatcher({ pattern, isLiteral, ignoreCase }: LinePattern): Promise<LineMatcher> {
  if (isLiteral && !ignoreCase) return (line) => line.includes(pattern);
  const { RE2JS } = await import("re2js");
  const source = isLiteral ? RE2JS.quote(pattern) : toRe2(pattern);
  try {
    const regex = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    // A CR counts as a line end for `^` and `$`, and no pattern matches it.
    return (line) => (line.includes("\r") ? line.split("\r").some((part) => regex.test(part)) : regex.test(line));
  } catch (cause) {
    const reason = toReason((cause as Error).message);
    throw invalidPattern(pattern, reason, cause);
  }
}

/** Replaces unclear messages of RE2 by those of ripgrep. */
function toReason(message: string): string {
  const reason = message.replace(/^error parsing regexp: /, "");
  if (/: `\(\?<?[=!]/.test(reason)) return "look-around, including look-ahead and look-behind, is not supported";
  return /escape sequence: `\\[1-9]/.test(reason) ? "backreferences are not supported" : reason;
}
