import { CURSOR_MARKER, Editor, type TUI } from "../library.ts";
import type { Theme } from "../theme/theme.ts";

/** The rows of the editor. */
export interface EditorRows {
  /** With `CURSOR_MARKER` where the cursor is, and without spaces at the end. */
  rows: string[];
  /** The list of completions below the text. */
  menu: string[];
  /** The number of rows above and below that do not fit. */
  hiddenAbove: number;
  hiddenBelow: number;
}

/** The parts of the terminal that the editor uses. */
export interface EditorTerminal {
  refresh(): void;
  /** The rows of the terminal. */
  readonly rows: number;
}

const bottomMark = "\0bottom";
const fakeCursor = { start: `${CURSOR_MARKER}\x1b[7m`, end: "\x1b[0m" };

/** The editor of the library without its borders and its own cursor: the cursor of the terminal stands at the marker. */
export class PlainEditor extends Editor {
  #hiddenAbove = 0;
  #hiddenBelow = 0;

  constructor(terminal: EditorTerminal, theme: Theme) {
    // The editor of the library uses no other members of its TUI.
    const tui: { requestRender(): void; terminal: { readonly rows: number } } = {
      requestRender: () => terminal.refresh(),
      terminal: {
        get rows() {
          return terminal.rows;
        },
      },
    };
    // The styles change when the terminal reports its background.
    const dim = (text: string) => theme.dim(text);
    const accent = (text: string) => theme.accent(text);
    super(tui as TUI, {
      borderColor: dim,
      selectList: { selectedPrefix: accent, selectedText: accent, description: dim, scrollInfo: dim, noMatch: dim },
    });
    this.focused = true;
  }

  renderRows(width: number): EditorRows {
    const lines = this.render(width);
    const end = lines.indexOf(bottomMark);
    return {
      rows: lines.slice(1, end).map(withoutFakeCursor),
      menu: lines.slice(end + 1).map((line) => line.trimEnd()),
      hiddenAbove: this.#hiddenAbove,
      hiddenBelow: this.#hiddenBelow,
    };
  }

  /** Whether the cursor is in the first and in the last row of the text. */
  cursorPlace(width: number): { isInFirstRow: boolean; isInLastRow: boolean } {
    const { rows, hiddenAbove, hiddenBelow } = this.renderRows(width);
    const row = rows.findIndex((text) => text.includes(CURSOR_MARKER));
    return { isInFirstRow: row === 0 && hiddenAbove === 0, isInLastRow: row === rows.length - 1 && hiddenBelow === 0 };
  }

  protected override renderTopBorder(_width: number, hiddenLineCount: number): string {
    this.#hiddenAbove = hiddenLineCount;
    return "";
  }

  protected override renderBottomBorder(_width: number, hiddenLineCount: number): string {
    this.#hiddenBelow = hiddenLineCount;
    return bottomMark;
  }
}

function withoutFakeCursor(line: string): string {
  const start = line.indexOf(fakeCursor.start);
  const end = start < 0 ? -1 : line.indexOf(fakeCursor.end, start);
  if (end < 0) return line.trimEnd();
  const under = line.slice(start + fakeCursor.start.length, end);
  return `${line.slice(0, start)}${CURSOR_MARKER}${under}${line.slice(end + fakeCursor.end.length)}`.trimEnd();
}
