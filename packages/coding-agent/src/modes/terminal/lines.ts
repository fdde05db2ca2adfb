import type { Style } from "../../theme/style.ts";
import { toTerminalText } from "../terminal-text.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "./library.ts";
import type { Theme } from "./theme/theme.ts";

/** Maximum characters that are read of a text for one line. */
const maxLine = 2000;
const escapeCharacter = "\x1b";
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with Escape
const sgrPattern = /\u001b\[([\d;]*)m/g;

/** Makes text from outside safe for the terminal. A tab becomes four spaces, because its width depends on its column. */
export function toSafeText(text: string): string {
  const safe = toTerminalText(text);
  return safe.includes("\t") ? safe.replaceAll("\t", "    ") : safe;
}

/** Makes text from outside safe, and puts it into one line. At most `maxLength` characters of it are read. Extensions may give other values. */
export function toSafeLine(text: string, maxLength: number = maxLine): string {
  return toSafeText(cut(text, maxLength)).replace(/\s+/g, " ").trim();
}

/** Makes text from outside safe, and splits it into its lines. */
export function toSafeLines(text: string): string[] {
  return toSafeText(String(text).replace(/\r\n?/g, "\n")).split("\n");
}

/** The beginning of a text, with `…` if something is left out. */
export function cut(value: string, maxLength: number): string {
  const text = String(value);
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** Cuts a line without styles to `width` cells; a cut line ends with `…`. */
export function cutLine(line: string, width: number): string {
  if (width <= 0) return "";
  // A cell has at least one UTF-16 unit, so this line may be a long one that is worth cutting before it is measured.
  const head = line.length > 16 * width + 64 ? line.slice(0, 16 * width + 64) : line;
  if (head.length === line.length && visibleWidth(line) <= width) return line;
  // The library adds a reset of styles, which terminals without colours should not get.
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

/** Maximum characters that the library wraps at a time: it takes long for more. */
const maxWrapped = 1000;

/** Breaks a safe line of any length, without styles, into lines of a width, at spaces if there are any. */
export function wrapPlain(line: string, width: number): string[] {
  const room = Math.max(1, width);
  if (/^[ -~]*$/.test(line)) return wrapAscii(line, room);
  const lines: string[] = [];
  for (let start = 0; start < line.length; start += maxWrapped) {
    lines.push(...wrapTextWithAnsi(line.slice(start, start + maxWrapped), room));
  }
  return lines;
}

/** Cells before the further lines of a line that begins with spaces. */
const hangingCells = 4;

/** Like `wrapPlain`, but further lines of a line that begins with spaces are indented, so that the rows of a table stay apart. */
export function wrapHanging(line: string, width: number): string[] {
  const [first = "", ...others] = wrapPlain(line, width);
  if (others.length === 0 || !line.startsWith("  ") || width <= 2 * hangingCells) return [first, ...others];
  const rest = line.slice(first.length).trimStart();
  return [first, ...wrapPlain(rest, width - hangingCells).map((each) => " ".repeat(hangingCells) + each)];
}

/** The fast way for most lines of commands and files: each character has one cell. */
function wrapAscii(line: string, width: number): string[] {
  const lines: string[] = [];
  let start = 0;
  while (line.length - start > width) {
    const space = line.lastIndexOf(" ", start + width);
    const isAtWord = space > start && line.slice(start, space).trim() !== "";
    lines.push(line.slice(start, isAtWord ? space : start + width));
    start = isAtWord ? space + 1 : start + width;
  }
  return [...lines, line.slice(start)];
}

/** Adds spaces to a line until it has a width. */
export function pad(line: string, width: number): string {
  return line + " ".repeat(Math.max(0, width - visibleWidth(line)));
}

/** The upper edge of a panel, with its title. */
export function titleLine(theme: Theme, title: string, width: number): string {
  const text = cutLine(title, Math.max(1, width - 4));
  const rest = Math.max(0, width - visibleWidth(text) - 4);
  return `${theme.border("──")} ${theme.bold(text)}${rest > 0 ? ` ${theme.border("─".repeat(rest))}` : ""}`;
}

/** Puts parts beside each other, separated by ` · `, on as many lines as needed. */
export function flow(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line} · ${part}`;
    if (line !== "" && visibleWidth(longer) > width) {
      lines.push(line);
      line = part;
    } else line = longer;
  }
  if (line !== "") lines.push(line);
  return lines.flatMap((each) => wrapPlain(each, width));
}

/** A duration in whole seconds that have passed: `0 s`, `12 s`, `2 min 5 s`. */
export function formatSeconds(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns `1 line`, `2 lines`. */
export function count(number: number, what: string): string {
  return `${groupDigits(number)} ${what}${number === 1 ? "" : "s"}`;
}

/** A whole number with a comma between thousands. `toLocaleString` loads the data of all languages for it, which takes 8 ms. */
export function groupDigits(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
