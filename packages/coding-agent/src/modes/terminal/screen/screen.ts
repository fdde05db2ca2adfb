import { CURSOR_MARKER, visibleWidth } from "../library.ts";
import { rowsOf } from "./rows.ts";

/** The terminal of a screen. */
export interface ScreenOutput {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
}

/** The live region as it was drawn. */
interface Drawn {
  lines: readonly string[];
  /** Where the cursor is, from the first line of the region. */
  row: number;
  column: number;
  /** The columns of the terminal at that time. */
  columns: number;
}

const nothing: Drawn = { lines: [], row: 0, column: 0, columns: 0 };

// Control sequences, see ECMA-48 and https://invisible-island.net/xterm/ctlseqs/ctlseqs.html.
const eraseToEndOfLine = "\x1b[K";
const eraseBelow = "\x1b[J";
const clearAll = "\x1b[H\x1b[2J";
const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
/** The terminal shows everything between these at once. A terminal that does not know them ignores them. */
const beginUpdate = "\x1b[?2026h";
const endUpdate = "\x1b[?2026l";

/**
 * Prints lines into the scrollback, once, and keeps a live region below them, which alone is drawn again. It writes only what has changed since the
 * last frame, and each frame with one write.
 */
export class Screen {
  readonly #output: ScreenOutput;
  readonly #reflows: boolean;
  #drawn: Drawn = nothing;
  #isCursorShown = true;

  /** @param reflows - Whether the terminal wraps the lines on it anew when its width changes. */
  constructor(output: ScreenOutput, { reflows }: { reflows: boolean }) {
    this.#output = output;
    this.#reflows = reflows;
  }

  /** Takes over a region that others have drawn, with the cursor in its last line. */
  adopt(lines: readonly string[], column: number): void {
    this.#drawn = { lines, row: Math.max(0, lines.length - 1), column, columns: this.#output.columns };
  }

  /**
   * Draws a frame.
   *
   * @param printed - Lines for the scrollback, above the region.
   * @param live - The lines of the region. The marker `CURSOR_MARKER` in one of them is the place of the cursor; without it the cursor is hidden.
   *   If there are more lines than rows, only the last are drawn.
   */
  draw(printed: readonly string[], live: readonly string[]): void {
    const { columns, rows } = this.#output;
    // The region has at least one line, so that the cursor is never on a printed one.
    const { lines, cursor } = takeCursor(live.length > 0 ? live.slice(-rows) : [""]);
    const isChangedWidth = this.#drawn.columns !== columns && this.#drawn.lines.length > 0;
    const body =
      printed.length > 0 || isChangedWidth || this.#drawn.lines.length === 0
        ? this.#redraw(printed, lines)
        : this.#drawChanges(lines);
    const end = this.#placeCursor(lines, cursor);
    if (body === "" && end === "") return;
    const update = body === "" ? end : `${beginUpdate}${body}${end}${endUpdate}`;
    this.#output.write(update);
  }

  /** Clears the visible part of the terminal. The next frame begins at the top. */
  clear(): void {
    this.#output.write(clearAll);
    this.#drawn = nothing;
  }

  /** Removes the region, and leaves the cursor where it began. */
  close(): void {
    const up = this.#drawn.lines.length > 0 ? `${this.#toTop()}${eraseBelow}` : "";
    this.#output.write(`${up}${this.#isCursorShown ? "" : showCursor}`);
    this.#isCursorShown = true;
    this.#drawn = nothing;
  }

  /** Forgets the region, because others have written to the terminal. The next frame begins at the cursor. */
  forget(): void {
    this.#drawn = nothing;
    this.#isCursorShown = true;
  }

  /** Writes the printed lines over the region, and the region below them. */
  #redraw(printed: readonly string[], lines: readonly string[]): string {
    const { columns } = this.#output;
    const isChangedWidth = this.#drawn.columns !== columns;
    const covered = this.#drawn.lines.length;
    let text = this.#toTop();
    // After a change of width the rows are not known, so all of them are erased first.
    if (isChangedWidth && covered > 0) text += eraseBelow;
    const all = [...printed, ...lines];
    for (const [row, line] of all.entries()) {
      if (row > 0) text += "\r\n";
      text += line;
      // At the last column this would erase the last character.
      if (!isChangedWidth && row < covered && visibleWidth(line) < columns) text += eraseToEndOfLine;
    }
    if (!isChangedWidth && covered > all.length) text += this.#eraseAfter(all.at(-1) ?? "");
    const last = lines.at(-1) ?? "";
    this.#drawn = { lines, row: Math.max(0, lines.length - 1), column: cellAfter(last, columns), columns };
    return text;
  }

  /** Erases the rows below a line at whose end the cursor is. */
  #eraseAfter(line: string): string {
    const isAtEnd = visibleWidth(line) >= this.#output.columns;
    // The erasure begins at the cursor, which is still on the last character of a full row.
    return isAtEnd ? `\r\n${eraseBelow}\x1b[A\x1b[${this.#output.columns}G` : eraseBelow;
  }

  /** Writes the lines of the region that differ from the drawn ones. */
  #drawChanges(lines: readonly string[]): string {
    const { columns } = this.#output;
    const before = this.#drawn.lines;
    let text = "";
    for (const [row, line] of lines.entries()) {
      const old = before[row];
      if (old === line) continue;
      if (old === undefined) {
        text += `${this.#moveTo(Math.max(0, row - 1), undefined)}\r\n${line}`;
      } else if (isExtension(old, line)) {
        text += `${this.#moveTo(row, visibleWidth(old))}${line.slice(old.length)}`;
      } else {
        text += `${this.#moveTo(row, 0)}${line}${visibleWidth(line) < columns ? eraseToEndOfLine : ""}`;
      }
      this.#drawn = { ...this.#drawn, row, column: cellAfter(line, columns) };
    }
    if (before.length > lines.length) {
      text += `${this.#moveTo(lines.length, 0)}${eraseBelow}`;
    }
    this.#drawn = { ...this.#drawn, lines };
    return text;
  }

  #placeCursor(lines: readonly string[], cursor: { row: number; column: number } | undefined): string {
    if (!cursor) {
      // A hidden cursor waits at the beginning of a line of the region, so that the way to the first line is known.
      const row = Math.min(this.#drawn.row, lines.length - 1);
      const isThere = this.#drawn.row === row && this.#drawn.column === 0;
      const back = isThere ? "" : this.#moveTo(row, 0);
      if (!this.#isCursorShown) return back;
      this.#isCursorShown = false;
      return `${back}${hideCursor}`;
    }
    const { row } = cursor;
    const column = Math.min(cursor.column, this.#output.columns - 1);
    const isThere = this.#drawn.row === row && this.#drawn.column === column;
    const move = isThere ? "" : this.#moveTo(row, column);
    this.#drawn = { ...this.#drawn, row, column };
    if (this.#isCursorShown) return move;
    this.#isCursorShown = true;
    return `${move}${showCursor}`;
  }

  /** Moves the cursor within the region. Without a column it stays in its own. */
  #moveTo(row: number, column: number | undefined): string {
    const down = row - this.#drawn.row;
    const vertical = down === 0 ? "" : `\x1b[${Math.abs(down)}${down > 0 ? "B" : "A"}`;
    const horizontal = column === undefined ? "" : column === 0 ? "\r" : `\x1b[${column + 1}G`;
    this.#drawn = { ...this.#drawn, row, column: column ?? this.#drawn.column };
    return vertical + horizontal;
  }

  /** Moves the cursor to the beginning of the region, also when its lines take other rows since the width has changed. */
  #toTop(): string {
    const { lines, row, column, columns } = this.#drawn;
    const now = this.#output.columns;
    let rows = row;
    if (this.#reflows && now !== columns && now > 0) {
      // After the last character the cursor stays in its row, also when that is full.
      const isAtEnd = column > 0 && column >= visibleWidth(lines[row] ?? "");
      rows = Math.floor((isAtEnd ? column - 1 : column) / now);
      for (const line of lines.slice(0, row)) rows += rowsOf(line, now);
    }
    return `${rows > 0 ? `\x1b[${rows}A` : ""}\r`;
  }
}

/** Whether a line is an older line and more, and the older line has no styles, so that only the rest needs to be written. */
function isExtension(old: string, line: string): boolean {
  return (
    old !== "" &&
    !old.includes("\x1b") &&
    line.startsWith(old) &&
    visibleWidth(old) + visibleWidth(line.slice(old.length)) === visibleWidth(line)
  );
}

/** The column of the cursor after a line was written: within the last column when the line fills the row. */
function cellAfter(line: string, columns: number): number {
  return Math.min(visibleWidth(line), columns - 1);
}

function takeCursor(lines: readonly string[]): { lines: string[]; cursor: { row: number; column: number } | undefined } {
  let cursor: { row: number; column: number } | undefined;
  const plain = lines.map((line, row) => {
    const at = line.indexOf(CURSOR_MARKER);
    if (at < 0) return line;
    cursor = { row, column: visibleWidth(line.slice(0, at)) };
    return line.slice(0, at) + line.slice(at + CURSOR_MARKER.length);
  });
  return { lines: plain, cursor };
}
