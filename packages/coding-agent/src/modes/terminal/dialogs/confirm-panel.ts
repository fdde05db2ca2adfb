import { type KeyId, matchesKey } from "../library.ts";
import { flow, titleLine, toSafeLine, toSafeLines, wrapPlain } from "../lines.ts";
import type { Panel } from "../panel.ts";
import type { Theme } from "../theme/theme.ts";
import { isCancel } from "./keys.ts";
import { ScrolledText } from "./scrolled-text.ts";

/** An answer that one key gives. */
export interface Choice<T> {
  /** A small letter. */
  key: string;
  label: string;
  value: T;
}

export interface ConfirmPanelOptions<T> {
  theme: Theme;
  title: string;
  /** Lines in the colour of warnings, above the text. They do not scroll. */
  warning?: string;
  text: string;
  /** The style of a line of the text. Default: none. */
  style?: (line: string) => (text: string) => string;
  choices: readonly Choice<T>[];
  /** The meaning of Esc, for the line of keys. */
  escLabel: string;
  /**
   * Milliseconds without a key before a letter counts, because the user may be typing when the question appears. Scrolling and Esc count at
   * once. Default: 0.
   */
  quietMs?: number;
  /** Called once with the answer; undefined for Esc. */
  onAnswer(answer: T | undefined): void;
}

/** A question with a text that scrolls, and a key for each answer. */
export class ConfirmPanel<T> implements Panel {
  readonly #options: ConfirmPanelOptions<T>;
  readonly #text: ScrolledText;
  #quietSince = performance.now();

  constructor(options: ConfirmPanelOptions<T>) {
    this.#options = options;
    this.#text = new ScrolledText(options.theme, options.text, { style: options.style });
  }

  render(width: number, rows: number): string[] {
    const { theme, title, warning = "", choices, escLabel } = this.#options;
    const keys = flow([...choices.map(({ key, label }) => `${key} ${label}`), `Esc ${escLabel}`], width);
    const above = warning === "" ? [] : toSafeLines(warning).flatMap((line) => wrapPlain(line, width));
    // Of many reasons the first ones are shown, so that the text keeps at least half of the rows.
    const maxAbove = Math.max(1, Math.floor((rows - 1 - keys.length) / 2));
    const shownAbove =
      above.length > maxAbove ? [...above.slice(0, maxAbove - 1), `… ${above.length - maxAbove + 1} more lines`] : above;
    const left = rows - 1 - shownAbove.length - keys.length;
    return [
      titleLine(theme, toSafeLine(title), width),
      ...shownAbove.map(theme.warning),
      ...this.#text.render(width, Math.max(1, left)),
      ...keys.map(theme.accent),
    ];
  }

  handleKey(key: string): void {
    if (this.#text.handleKey(key)) return;
    if (isCancel(key)) {
      this.#options.onAnswer(undefined);
      return;
    }
    const { choices, onAnswer, quietMs = 0 } = this.#options;
    const now = performance.now();
    const isTooEarly = now - this.#quietSince < quietMs;
    if (isTooEarly) {
      this.#quietSince = now;
      return;
    }
    // With the capital letter too, because Caps Lock may be on.
    const chosen = choices.find((choice) => [choice.key, `shift+${choice.key}`].some((id) => matchesKey(key, id as KeyId)));
    if (chosen) onAnswer(chosen.value);
  }
}
