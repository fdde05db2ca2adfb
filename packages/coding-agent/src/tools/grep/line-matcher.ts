import { invalidPattern } from "./pattern-errors.ts";
import { toRe2 } from "./re2-pattern.ts";

/** @param line - Without its line end. */
export type LineMatcher = (line: string) => boolean;

export interface LinePattern {
  pattern: string;
  isLiteral: boolean;
  ignoreCase: boolean;
}

/**
 * Makes the test of a line, in linear time whatever the pattern. It understands what ripgrep does, except that `\b` and `\B` go by
 * ASCII letters, and that bytes which are not UTF-8 match like U+FFFD.
 *
 * @throws {ToolError} `invalid_pattern`
 */
export async function createLineMatcher({ pattern, isLiteral, ignoreCase }: LinePattern): Promise<LineMatcher> {
  if (isLiteral && !ignoreCase) return (line) => line.includes(pattern);
  const { RE2JS } = await import("re2js");
  const source = isLiteral ? RE2JS.quote(pattern) : toRe2(pattern);
  try {
    const regex = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    // A lone CR ends a line for `^` and `$`, and no pattern matches one.
    return (line) => (line.includes("\r") ? line.split("\r").some((part) => regex.test(part)) : regex.test(line));
  } catch (cause) {
    const reason = toReason((cause as Error).message);
    throw invalidPattern(pattern, reason, cause);
  }
}

/** Says it as ripgrep would, where the words of RE2 are no help. */
function toReason(message: string): string {
  const reason = message.replace(/^error parsing regexp: /, "");
  if (/: `\(\?<?[=!]/.test(reason)) return "look-around, including look-ahead and look-behind, is not supported";
  return /escape sequence: `\\[1-9]/.test(reason) ? "backreferences are not supported" : reason;
}
