import type { Style } from "../../../theme/style.ts";

/** The styles of the terminal by what they are for. Without colours, each returns its text unchanged. */
export interface Theme {
  /** How many colours there are: 0, 16, 256, or 16,777,216 (2 ** 24). */
  readonly colors: number;
  readonly isLight: boolean;
  /** Text that matters less: thinking, hints, times. */
  readonly dim: Style;
  readonly bold: Style;
  readonly italic: Style;
  readonly underline: Style;
  readonly strikethrough: Style;
  /** The user's words, the selected row of a list, the mark of the prompt. */
  readonly accent: Style;
  readonly success: Style;
  readonly warning: Style;
  readonly error: Style;
  readonly border: Style;
  readonly heading: Style;
  readonly link: Style;
  readonly code: Style;
  /** Names of tools. */
  readonly tool: Style;
  readonly added: Style;
  readonly removed: Style;
  /** Parts of code. */
  readonly keyword: Style;
  readonly string: Style;
  readonly number: Style;
  readonly comment: Style;
  readonly function: Style;
  readonly type: Style;
}
