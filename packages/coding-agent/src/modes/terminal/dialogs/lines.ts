import { toTerminalText } from "../../terminal-text.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../library.ts";
import type { Stage } from "../stage.ts";
import type { Theme } from "../theme/theme.ts";

/** The part of the terminal that a panel needs. A panel can be shown before there is a session. */
export type PanelStage = Pick<Stage, "theme" | "open" | "refresh">;

/** Default maximum of characters of a text that is shown in one line. */
const maxLine = 500;

/** Makes a text from outside safe and puts it on one line. Extensions may give other values than texts. */
export function toOneLine(text: string, maxLength: number = maxLine): string {
  return toTerminalText(cut(text, maxLength)).replace(/\s+/g, " ").trim();
}

/** Makes a text from outside safe; line ends stay, tabs become spaces. */
export function toLines(text: string): string[] {
  return toTerminalText(String(text).replace(/\r\n?/g, "\n")).replaceAll("\t", "    ").split("\n");
}

/** The beginning of a text, with `…` if something is left out. */
export function cut(value: string, maxLength: number): string {
  const text = String(value);
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** Shortens a line without styles to a width, with `…` at its end. */
export function fit(line: string, width: number): string {
  // The library adds a reset of styles, which terminals without colours should not get.
  return width <= 0 ? "" : truncateToWidth(line, width, "…").replaceAll("\u001b[0m", "");
}

/** Maximum characters that the library wraps at a time: it takes long for more. */
const maxWrapped = 1000;

/** Breaks a safe line without styles into lines of a width, at spaces if there are any. */
export function wrap(line: string, width: number): string[] {
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

/** Like `wrap`, but further lines of a line that begins with spaces are indented, so that the rows of a table stay apart. */
export function wrapHanging(line: string, width: number): string[] {
  const [first = "", ...others] = wrap(line, width);
  if (others.length === 0 || !line.startsWith("  ") || width <= 2 * hangingCells) return [first, ...others];
  const rest = line.slice(first.length).trimStart();
  return [first, ...wrap(rest, width - hangingCells).map((each) => " ".repeat(hangingCells) + each)];
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
  const text = fit(title, Math.max(1, width - 4));
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
  return lines.flatMap((each) => wrap(each, width));
}
