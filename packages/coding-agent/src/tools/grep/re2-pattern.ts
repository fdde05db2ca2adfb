import { invalidPattern, lineBreakInPattern } from "./pattern-errors.ts";

/**
 * The meaning of `\w`, `\d` and `\s` in ripgrep, according to UTS #18: they include the letters of all scripts. The ranges in `w` are the
 * symbols that count as letters (Other_Alphabetic).
 */
const classes: Record<string, string> = {
  w: "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{200c}\\x{200d}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}",
  d: "\\p{Nd}",
  s: "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}",
};
/** The complements that are possible inside a class. */
const complements: Record<string, string> = {
  D: "\\P{Nd}",
  S: "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}",
};
/** An escape, with its braces; a POSIX class; the beginning of a class; a quantifier; or one character. */
const tokens = /\\(?:[uUxpP]\{[^}]*\}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|.)?|\[:\^?\w+:\]|\[\^?\]?|\{\d+(?:,\d*)?\}|./gsu;
const setOperation = /^(?:&&|--|~~)/;
const setsNeedRipgrep = "set operations in classes need ripgrep, which is not in use here";

/**
 * Converts a pattern of ripgrep to one of RE2. The syntaxes differ in the Perl classes, some escapes, and a `{` that is not a quantifier,
 * which ripgrep refuses.
 *
 * @throws {ToolError} `invalid_pattern`
 */
export function toRe2(pattern: string): string {
  let result = "";
  let inClass = false;
  for (const { 0: token, index } of pattern.matchAll(tokens)) {
    if (token.startsWith("\\")) {
      result += convertEscape(token, { pattern, inClass });
      continue;
    }
    if (inClass && /^\[[\^\]]*$/.test(token)) throw invalidPattern(pattern, "a [ inside a class must be written \\[");
    if (inClass && setOperation.test(pattern.slice(index, index + 2))) throw invalidPattern(pattern, setsNeedRipgrep);
    if (!inClass && token === "{") throw invalidPattern(pattern, "repetition quantifier expects a valid decimal");
    if (token === "]") inClass = false;
    else if (/^\[[\^\]]*$/.test(token)) inClass = true;
    result += token;
  }
  return result;
}

function convertEscape(token: string, { pattern, inClass }: { pattern: string; inClass: boolean }): string {
  const name = token[1] ?? "";
  const members = classes[name];
  if (members !== undefined) return inClass ? members : `[${members}]`;
  if (!inClass && classes[name.toLowerCase()] !== undefined) return `[^${classes[name.toLowerCase()]}]`;
  if (inClass && complements[name] !== undefined) return complements[name];
  if (name === "u" || name === "U" || token.startsWith("\\x{")) return `\\x{${token.replace(/^\\.\{?|\}$/g, "")}}`;
  if (name === "n" || name === "r") throw lineBreakInPattern(pattern);
  if (/[QEC]/.test(name)) throw invalidPattern(pattern, "unrecognized escape sequence");
  return token;
}
