import { fuzzyFilter, Input, matchesKey, visibleWidth } from "../library.ts";
import { cut, cutLine, flow, pad, titleLine, toSafeLine, wrapPlain } from "../lines.ts";
import type { Panel } from "../panel.ts";
import type { PanelStage } from "../stage.ts";
import type { Theme } from "../theme/theme.ts";
import { isCancel, isSelectKey, renderInput } from "./keys.ts";

export interface ListRow<T> {
  value: T;
  /** Text from outside may be given as it is: it is made safe, and put on one line. */
  label: string;
  /** Shown dimmed behind the label. */
  detail?: string;
}

/** The texts around the rows. */
export interface ListTexts {
  title?: string;
  /** Shown if there are no rows. */
  emptyText?: string;
  /** Further keys with their meaning, such as `Tab all folders`. */
  hint?: string;
}

export interface ListPanelOptions<T> extends ListTexts {
  theme: Theme;
  title: string;
  rows: readonly ListRow<T>[];
  /** The value that is in effect now: it is marked, and selected at first. */
  current?: T;
  /** The value that is selected at first. Default: the current one, otherwise the first. */
  selected?: T;
  /** Called once, with the chosen value; undefined for Esc. */
  onChoose(value: T | undefined): void;
  /** Called for Tab. */
  onTab?(): void;
}

/** Default maximum of rows of a list. */
const maxVisible = 15;
/** Maximum characters of a row that are searched, and of a typed text. */
const maxSearched = 300;
const maxTyped = 200;
/** Rows for the selected row in full, and the rows of the terminal from which it is shown. */
const maxDetailRows = 3;
const minRowsForDetail = 14;
/** The width from which details have a column of their own. */
const minWidthForColumns = 60;

/** A list to search in: typed text filters it, Enter chooses a row. */
export class ListPanel<T> implements Panel {
  readonly #options: ListPanelOptions<T>;
  readonly #input = new Input();
  #title: string;
  #hint: string | undefined;
  #emptyText: string;
  #rows: readonly ListRow<T>[] = [];
  /** The rows that match the typed text, best first. */
  #found: readonly ListRow<T>[] = [];
  /** The text for which `#found` was made. */
  #searched = "";
  #selected = 0;
  #top = 0;
  #page = 1;

  constructor(options: ListPanelOptions<T>) {
    this.#options = options;
    this.#title = options.title;
    this.#hint = options.hint;
    this.#emptyText = options.emptyText ?? "There is nothing to choose from.";
    this.#input.focused = true;
    this.setRows(options.rows);
    const selected = options.selected ?? options.current;
    this.#selected = Math.max(
      0,
      this.#found.findIndex(({ value }) => value === selected),
    );
  }

  /** The value of the selected row; undefined if no row matches. */
  get selected(): T | undefined {
    return this.#found[this.#selected]?.value;
  }

  /** Replaces the rows. The selected row stays selected if it is the same object, or has the same value. */
  setRows(rows: readonly ListRow<T>[], { title, hint, emptyText }: ListTexts = {}): void {
    const before = this.#found[this.#selected];
    this.#rows = rows;
    this.#title = title ?? this.#title;
    this.#hint = hint ?? this.#hint;
    this.#emptyText = emptyText ?? this.#emptyText;
    this.#search();
    const place = before === undefined ? -1 : this.#found.findIndex((row) => row.value === before.value);
    this.#selected = Math.max(0, place);
  }

  render(width: number, rows: number): string[] {
    const { theme } = this.#options;
    const head = [titleLine(theme, toSafeLine(this.#title), width), renderInput(this.#input, width)];
    const detailRows = rows >= minRowsForDetail && this.#rows.some(({ detail }) => detail !== undefined) ? maxDetailRows : 0;
    this.#page = Math.max(1, Math.min(maxVisible, rows - head.length - 1 - detailRows));
    this.#scroll();
    const shown = this.#found.slice(this.#top, this.#top + this.#page);
    const labelWidth = Math.min(Math.floor(width / 2), Math.max(0, ...shown.map(({ label }) => visibleWidth(toSafeLine(label)))));
    const lines = shown.map((row, index) => this.#renderRow(row, this.#top + index === this.#selected, { width, labelWidth }));
    const nothing = this.#rows.length === 0 ? this.#emptyText : "Nothing matches.";
    return [
      ...head,
      ...(lines.length > 0 ? lines.map(({ line }) => line) : [theme.dim(cutLine(`  ${nothing}`, width))]),
      ...(detailRows > 0 && lines.some(({ isCut }) => isCut) ? this.#renderDetail(width) : []),
      ...flow(this.#footer(), width).slice(0, 1).map(theme.dim),
    ];
  }

  handleKey(key: string): void {
    const { onChoose, onTab } = this.#options;
    if (isCancel(key)) onChoose(undefined);
    else if (isSelectKey(key, "confirm")) {
      if (this.#found.length > 0) onChoose(this.selected);
    } else if (isSelectKey(key, "up")) this.#step(-1);
    else if (isSelectKey(key, "down")) this.#step(1);
    else if (isSelectKey(key, "pageUp")) this.#select(this.#selected - this.#page);
    else if (isSelectKey(key, "pageDown")) this.#select(this.#selected + this.#page);
    else if (matchesKey(key, "home")) this.#select(0);
    else if (matchesKey(key, "end")) this.#select(this.#found.length - 1);
    else if (matchesKey(key, "tab")) onTab?.();
    else this.#type(key);
  }

  #type(key: string): void {
    this.#input.handleInput(key);
    const typed = this.#input.getValue();
    if (typed.length > maxTyped) this.#input.setValue(typed.slice(0, maxTyped));
    if (this.#input.getValue() === this.#searched) return;
    this.#search();
    this.#selected = 0;
  }

  #search(): void {
    this.#searched = this.#input.getValue();
    this.#found = fuzzyFilter([...this.#rows], this.#searched, ({ label, detail = "" }) => cut(`${label} ${detail}`, maxSearched));
  }

  /** From the last row to the first, and back. */
  #step(by: number): void {
    const count = this.#found.length;
    if (count > 0) this.#selected = (this.#selected + by + count) % count;
  }

  #select(index: number): void {
    this.#selected = Math.max(0, Math.min(index, this.#found.length - 1));
  }

  #scroll(): void {
    if (this.#selected < this.#top) this.#top = this.#selected;
    if (this.#selected >= this.#top + this.#page) this.#top = this.#selected - this.#page + 1;
    this.#top = Math.max(0, Math.min(this.#top, this.#found.length - this.#page));
  }

  #renderRow(
    row: ListRow<T>,
    isSelected: boolean,
    { width, labelWidth }: { width: number; labelWidth: number },
  ): { line: string; isCut: boolean } {
    const { theme } = this.#options;
    const mark = this.#isCurrent(row) ? " ✓" : "";
    const room = width - 2 - visibleWidth(mark);
    const detail = row.detail === undefined ? "" : toSafeLine(row.detail);
    const hasColumns = width >= minWidthForColumns && detail !== "";
    const whole = toSafeLine(row.label);
    const label = cutLine(whole, hasColumns ? Math.max(labelWidth, 1) : room);
    const shownLabel = hasColumns ? pad(label, labelWidth) : label;
    const left = room - visibleWidth(shownLabel) - 2;
    // A detail of a few cells says nothing.
    const shownDetail = detail !== "" && left >= 8 ? cutLine(detail, left) : "";
    const end = shownDetail === "" ? "" : `  ${theme.dim(shownDetail)}`;
    const text = `${shownLabel}${mark}`;
    const line = isSelected ? `${theme.accent(`❯ ${text}`)}${end}` : `  ${text}${end}`;
    return { line, isCut: label !== whole || shownDetail !== detail };
  }

  /** The selected row in full, as far as it fits, below a list whose rows do not fit. */
  #renderDetail(width: number): string[] {
    const { theme } = this.#options;
    const row = this.#found[this.#selected];
    const text = row === undefined ? "" : toSafeLine([row.label, ...(row.detail === undefined ? [] : [row.detail])].join(" · "));
    const lines = wrapPlain(text, width - 2);
    const shown = lines.slice(0, maxDetailRows - 1);
    if (lines.length > shown.length) shown.push(cutLine(lines.slice(shown.length).join(" "), width - 2));
    return Array.from({ length: maxDetailRows }, (_, index) => theme.dim(`  ${shown[index] ?? ""}`.trimEnd()));
  }

  #isCurrent({ value }: ListRow<T>): boolean {
    return this.#options.current !== undefined && value === this.#options.current;
  }

  #footer(): string[] {
    const count = this.#found.length > this.#page ? [`${this.#selected + 1} of ${this.#found.length}`] : [];
    return [...count, ...(this.#hint === undefined ? [] : [this.#hint]), "Enter chooses", "Esc closes", "type to search"];
  }
}

/** Shows a list. Resolves with the chosen value; undefined if the user has closed it. */
export function chooseFrom<T>(stage: PanelStage, options: Omit<ListPanelOptions<T>, "theme" | "onChoose">): Promise<T | undefined> {
  return new Promise((resolve) => {
    const close = stage.open(
      new ListPanel<T>({
        ...options,
        theme: stage.theme,
        onChoose(value) {
          close();
          resolve(value);
        },
      }),
    );
  });
}
