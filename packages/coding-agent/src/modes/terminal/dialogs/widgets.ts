import { cut } from "../lines.ts";
import { cleanStyled } from "../styled-line.ts";

/** Maximum number of status lines and of widgets, and of lines of a widget. */
const maxStatuses = 20;
const maxWidgets = 10;
const maxWidgetLines = 10;
/** Maximum characters of a status line, and of a line of a widget, with their styles. */
const maxStatus = 1000;
const maxLine = 5000;

/** A widget that draws itself. */
export interface DrawnWidget {
  /** Safe lines of at most `width` cells. */
  lines(width: number): readonly string[];
  invalidate(): void;
  dispose(): void;
}

/** The status lines and the widgets of extensions, by key. Their number and size is limited. */
export class Widgets {
  readonly #statuses = new Map<string, string>();
  readonly #widgets = new Map<string, { widget: readonly string[] | DrawnWidget; isBelow: boolean }>();

  /** The status lines by key. */
  get statuses(): ReadonlyMap<string, string> {
    return this.#statuses;
  }

  /** The status lines, in the order of their first setting. */
  get statusTexts(): string[] {
    return [...this.#statuses.values()];
  }

  /** The lines above the editor: safe texts without line breaks, which may have styles and be wider than the terminal. */
  above(width: number): string[] {
    return this.#lines(width, false);
  }

  /** The lines below the editor. */
  below(width: number): string[] {
    return this.#lines(width, true);
  }

  /** @returns False if there are too many already. */
  setStatus(key: string, text: string | undefined): boolean {
    return set(this.#statuses, key, text === undefined ? undefined : toStatus(text), maxStatuses);
  }

  /** @returns False if there are too many already. */
  setWidget(key: string, lines: readonly string[] | undefined, isBelow: boolean): boolean {
    return this.#set(key, lines && shorten(lines), isBelow);
  }

  /** Like `setWidget`. A widget that is replaced, or has no place, is disposed. */
  setDrawnWidget(key: string, widget: DrawnWidget | undefined, isBelow: boolean): boolean {
    const hasPlace = this.#set(key, widget, isBelow);
    if (!hasPlace) widget?.dispose();
    return hasPlace;
  }

  /** The colours have changed. */
  invalidate(): void {
    for (const { widget } of this.#widgets.values()) if ("dispose" in widget) widget.invalidate();
  }

  /** Removes all. */
  clear(): void {
    for (const key of [...this.#widgets.keys()]) this.#set(key, undefined, false);
    this.#statuses.clear();
  }

  #set(key: string, widget: readonly string[] | DrawnWidget | undefined, isBelow: boolean): boolean {
    const before = this.#widgets.get(key)?.widget;
    const hasPlace = set(this.#widgets, key, widget && { widget, isBelow }, maxWidgets);
    if (hasPlace && before && "dispose" in before) before.dispose();
    return hasPlace;
  }

  #lines(width: number, isBelow: boolean): string[] {
    return [...this.#widgets.values()].flatMap((each) => {
      if (each.isBelow !== isBelow) return [];
      return "dispose" in each.widget ? each.widget.lines(width) : each.widget;
    });
  }
}

function set<T>(map: Map<string, T>, key: string, value: T | undefined, max: number): boolean {
  if (value === undefined) map.delete(key);
  else if (!map.has(key) && map.size >= max) return false;
  else map.set(key, value);
  return true;
}

/** On one line. Styles stay. */
function toStatus(text: string): string {
  return cleanStyled(cut(text, maxStatus).replace(/\s+/g, " ")).trim();
}

function shorten(lines: readonly string[]): string[] {
  const shown = lines.slice(0, maxWidgetLines).flatMap((line) => cut(line, maxLine).split(/\r?\n/).map(cleanStyled));
  const left = lines.length + Math.max(0, shown.length - Math.min(lines.length, maxWidgetLines)) - maxWidgetLines;
  return left > 0 ? [...shown.slice(0, maxWidgetLines - 1), `… ${left + 1} more lines`] : shown;
}
