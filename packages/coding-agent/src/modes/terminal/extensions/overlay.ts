import type { CellCount, OverlayHandle, OverlayOptions, UiComponent } from "../../../terminal-interface.ts";
import type { Panel } from "../panel.ts";
import type { Theme } from "../theme/theme.ts";
import { renderComponent } from "./component-lines.ts";

/** The width of an overlay that does not choose one, in cells. */
const usualWidth = 80;

export interface OverlayParts {
  theme: Theme;
  options: () => OverlayOptions;
  /** The size of the terminal in cells. */
  readonly size: { columns: number; rows: number };
  refresh(): void;
  /** Called for `hide` of the handle. */
  onHide(): void;
}

/** A component in a box of the live region: in place of the editor while it has the keys, otherwise above it. */
export class Overlay implements Panel {
  readonly #component: UiComponent;
  readonly #parts: OverlayParts;
  #isHidden = false;
  #hasKeys: boolean;

  constructor(component: UiComponent, parts: OverlayParts) {
    this.#component = component;
    this.#parts = parts;
    this.#hasKeys = parts.options().nonCapturing !== true;
  }

  /** Whether it is not in place of the editor: then it gets no keys. */
  get isHidden(): boolean {
    return !this.#hasKeys || !this.#isVisible;
  }

  /** Whether it is above the editor. */
  get isBeside(): boolean {
    return !this.#hasKeys && this.#isVisible;
  }

  readonly handle: OverlayHandle = {
    hide: () => this.#parts.onHide(),
    setHidden: (isHidden) => this.#change(() => (this.#isHidden = isHidden)),
    isHidden: () => this.#isHidden,
    focus: () => this.#change(() => (this.#hasKeys = true)),
    unfocus: () => this.#change(() => (this.#hasKeys = false)),
    isFocused: () => this.#hasKeys && this.#isVisible,
    getBounds: () => undefined,
  };

  render(columns: number, rows: number): string[] {
    const options = this.#parts.options();
    const { left: marginLeft, right: marginRight } = marginsOf(options);
    const room = Math.max(1, columns - marginLeft - marginRight);
    const wanted = Math.max(cells(options.width, columns) ?? usualWidth, options.minWidth ?? 1);
    const width = Math.max(1, Math.min(room, wanted));
    const left = marginLeft + placeOf(options, columns, room - width);
    const maxHeight = Math.max(1, Math.min(rows, cells(options.maxHeight, this.#parts.size.rows) ?? rows));
    const indent = " ".repeat(Math.max(0, Math.min(left, columns - width)));
    return renderComponent(this.#component, width, this.#parts.theme)
      .slice(0, maxHeight)
      .map((line) => indent + line);
  }

  handleKey(key: string): void {
    this.#component.handleInput?.(key);
  }

  get #isVisible(): boolean {
    if (this.#isHidden) return false;
    const { columns, rows } = this.#parts.size;
    return this.#parts.options().visible?.(columns, rows) ?? true;
  }

  #change(act: () => void): void {
    act();
    this.#parts.refresh();
  }
}

function marginsOf({ margin = 0 }: OverlayOptions): { left: number; right: number } {
  const { left = 0, right = 0 } = typeof margin === "number" ? { left: margin, right: margin } : margin;
  return { left: Math.max(0, left), right: Math.max(0, right) };
}

/** The cells between the left margin and the box. `free` are the cells that the box leaves. */
function placeOf({ anchor = "center", col, offsetX = 0 }: OverlayOptions, columns: number, free: number): number {
  const chosen = typeof col === "string" ? Math.floor((free * share(col)) / 100) : col;
  const anchored = anchor.includes("left") ? 0 : anchor.includes("right") ? free : Math.floor(free / 2);
  return Math.max(0, Math.min((chosen ?? anchored) + offsetX, columns));
}

function cells(count: CellCount | undefined, whole: number): number | undefined {
  return typeof count === "string" ? Math.floor((whole * share(count)) / 100) : count;
}

function share(percent: string): number {
  const number = Number.parseFloat(percent);
  return Number.isFinite(number) ? number : 100;
}
