import { toTerminalText } from "../../terminal-text.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../library.ts";
import type { Style, Theme } from "../theme/theme.ts";

const escapeCharacter = "\x1b";
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with Escape
const sgrPattern = /\u001b\[([\d;]*)m/g;

/**
 * Makes text from outside safe for the terminal. A tab becomes four spaces, because its width depends on its column. Characters that change the
 * direction of the text are removed, because they can make code look like other code.
 */
export function toSafeText(text: string): string {
  const safe = toTerminalText(text).replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
  return safe.includes("\t") ? safe.replaceAll("\t", "    ") : safe;
}

/** Makes text from outside safe, and puts it into one line. At most 2000 characters of it are read. */
export function toSafeLine(text: string): string {
  return toSafeText(text.slice(0, 2000)).replace(/\s+/g, " ").trim();
}

/** Cuts a line without styles to `width` cells; a cut line ends with `…`. */
export function cutLine(line: string, width: number): string {
  if (width <= 0) return "";
  // A cell has at least one UTF-16 unit, so this line may be a long one that is worth cutting before it is measured.
  const head = line.length > 16 * width + 64 ? line.slice(0, 16 * width + 64) : line;
  if (head.length === line.length && visibleWidth(line) <= width) return line;
  return `${truncateToWidth(head, width - 1, "").replace(sgrPattern, "")}…`;
}

/**
 * Wraps text to lines of at most `width` cells. Each line begins and ends its own styles.
 *
 * @param text - Safe text; it may have styles.
 */
export function wrap(text: string, width: number, style?: Style): string[] {
  return wrapTextWithAnsi(text, Math.max(1, width)).map((line) => {
    const closed = closeStyles(line);
    return style && closed !== "" ? style(closed) : closed;
  });
}

/** Removes spaces at the end of lines of the library, and ends the styles of each line. Without colours, it removes all styles. */
export function finishLines(lines: readonly string[], { colors }: Theme): string[] {
  return lines.map((line) => {
    const text = line.trimEnd();
    return colors === 0 ? text.replace(sgrPattern, "") : closeStyles(text);
  });
}

/** Ends the styles that are open at the end of a line: the library continues them on the next line, where it begins them again. */
function closeStyles(line: string): string {
  if (!line.includes(escapeCharacter)) return line;
  const open = new Set<string>();
  for (const [, codes = ""] of line.matchAll(sgrPattern)) track(codes, open);
  return open.size === 0 ? line : line + [...open].map((code) => `${escapeCharacter}[${code}m`).join("");
}

/** @param open - The end codes of the open styles. */
function track(codes: string, open: Set<string>): void {
  const numbers = codes === "" ? [0] : codes.split(";").map(Number);
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index] ?? 0;
    if (code === 0) open.clear();
    else if (code === 38 || code === 48) {
      open.add(code === 38 ? "39" : "49");
      index += numbers[index + 1] === 2 ? 4 : 2;
    } else if (code >= 22 && code <= 29) open.delete(`${code}`);
    else if (code === 39 || code === 49) open.delete(`${code}`);
    else open.add(endCodeOf(code));
  }
}

function endCodeOf(code: number): string {
  if (code <= 2) return "22";
  if (code < 10) return `${code + 20}`;
  return (code >= 40 && code <= 47) || code >= 100 ? "49" : "39";
}

/** A duration in whole seconds, at least 1: `12 s`, `2 min 5 s`. */
export function formatSeconds(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns `1 line`, `2 lines`. */
export function count(number: number, what: string): string {
  return `${number.toLocaleString("en-US")} ${what}${number === 1 ? "" : "s"}`;
}
