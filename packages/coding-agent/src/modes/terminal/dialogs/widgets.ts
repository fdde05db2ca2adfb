import { toTerminalText } from "../../terminal-text.ts";
import { cut, toSafeLine } from "../lines.ts";

/** Maximum number of status lines and of widgets, and of lines of a widget. */
const maxStatuses = 20;
const maxWidgets = 10;
const maxWidgetLines = 10;
/** Maximum characters of a status line, and of a line of a widget. */
const maxStatus = 200;
const maxLine = 500;

/** The status lines and the widgets of extensions, by key. Their number and size is limited. */
export class Widgets {
  readonly #statuses = new Map<string, string>();
  readonly #widgets = new Map<string, { lines: readonly string[]; isBelow: boolean }>();

  /** The status lines, in the order of their first setting. */
  get statusTexts(): string[] {
    return [...this.#statuses.values()];
  }

  /** The lines above the editor: safe texts without line breaks, which may be wider than the terminal. */
  get above(): string[] {
    return this.#lines(false);
  }

  /** The lines below the editor. */
  get below(): string[] {
    return this.#lines(true);
  }

  /** @returns False if there are too many already. */
  setStatus(key: string, text: string | undefined): boolean {
    return set(this.#statuses, key, text === undefined ? undefined : toSafeLine(text, maxStatus), maxStatuses);
  }

  /** @returns False if there are too many already. */
  setWidget(key: string, lines: readonly string[] | undefined, isBelow: boolean): boolean {
    return set(this.#widgets, key, lines && { lines: shorten(lines), isBelow }, maxWidgets);
  }

  #lines(isBelow: boolean): string[] {
    return [...this.#widgets.values()].flatMap((widget) => (widget.isBelow === isBelow ? widget.lines : []));
  }
}

function set<T>(map: Map<string, T>, key: string, value: T | undefined, max: number): boolean {
  if (value === undefined) map.delete(key);
  else if (!map.has(key) && map.size >= max) return false;
  else map.set(key, value);
  return true;
}

function shorten(lines: readonly string[]): string[] {
  const shown = lines.slice(0, maxWidgetLines).flatMap((line) => {
    return toTerminalText(cut(String(line), maxLine))
      .replaceAll("\t", "    ")
      .split("\n");
  });
  const left = lines.length + Math.max(0, shown.length - Math.min(lines.length, maxWidgetLines)) - maxWidgetLines;
  return left > 0 ? [...shown.slice(0, maxWidgetLines - 1), `… ${left + 1} more lines`] : shown;
}
