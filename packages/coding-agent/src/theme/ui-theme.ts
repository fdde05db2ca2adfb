import { parseColor, type ThemeColors, trueColors } from "./colors.ts";
import { createStyle, type Style } from "./style.ts";

/** The number of colours of a theme, by name. `none`: its styles return their texts unchanged. */
export type ColorMode = "truecolor" | "256color" | "16color" | "none";

const colorCounts: Readonly<Record<ColorMode, number>> = { truecolor: trueColors, "256color": 256, "16color": 16, none: 0 };

/** A theme as extensions use it: styles by the names of related programs, such as `theme.fg("accent", text)`. An unknown name has no colour. */
export class UiTheme {
  readonly name: string | undefined;
  /** The file that it is from. */
  readonly sourcePath: string | undefined;
  readonly #foreground: ThemeColors;
  readonly #background: ThemeColors;
  readonly #mode: ColorMode;

  constructor(
    foreground: ThemeColors,
    background: ThemeColors,
    mode: ColorMode,
    { name, sourcePath }: { name?: string | undefined; sourcePath?: string | undefined } = {},
  ) {
    this.#foreground = foreground;
    this.#background = background;
    this.#mode = mode;
    this.name = name;
    this.sourcePath = sourcePath;
  }

  /** The text in a colour. */
  fg(color: string, text: string): string {
    return this.#style(this.#codeOf(color), "39", text);
  }

  /** The text on a background. */
  bg(color: string, text: string): string {
    return this.#style(this.#backgroundCodeOf(color), "49", text);
  }

  bold(text: string): string {
    return this.#style("1", "22", text);
  }

  italic(text: string): string {
    return this.#style("3", "23", text);
  }

  underline(text: string): string {
    return this.#style("4", "24", text);
  }

  inverse(text: string): string {
    return this.#style("7", "27", text);
  }

  strikethrough(text: string): string {
    return this.#style("9", "29", text);
  }

  /** The sequence that begins a colour; empty without colours. */
  getFgAnsi(color: string): string {
    return this.#mode === "none" ? "" : `\x1b[${this.#codeOf(color) ?? "39"}m`;
  }

  /** The sequence that begins a background; empty without colours. */
  getBgAnsi(color: string): string {
    return this.#mode === "none" ? "" : `\x1b[${this.#backgroundCodeOf(color) ?? "49"}m`;
  }

  getColorMode(): "truecolor" | "256color" {
    return this.#mode === "truecolor" ? "truecolor" : "256color";
  }

  /** The style of the editor's border for a thinking level. */
  getThinkingBorderColor(level: string): Style {
    const name = `thinking${level.charAt(0).toUpperCase()}${level.slice(1)}`;
    return (text) => this.fg(name, text);
  }

  /** The style of the editor's border while a shell command is typed. */
  getBashModeBorderColor(): Style {
    return (text) => this.fg("bashMode", text);
  }

  /** The colours as they were given. */
  get colors(): ThemeColors {
    return { ...this.#foreground, ...this.#background };
  }

  #style(code: string | undefined, end: string, text: string): string {
    return code === undefined || this.#mode === "none" ? String(text) : createStyle(code, end)(String(text));
  }

  #codeOf(name: string): string | undefined {
    return Object.hasOwn(this.#foreground, name) ? parseColor(this.#foreground[name], colorCounts[this.#mode]) : undefined;
  }

  /** A background has the code of the colour, 10 higher: 48 in place of 38, 40 in place of 30. */
  #backgroundCodeOf(name: string): string | undefined {
    const code = Object.hasOwn(this.#background, name) ? parseColor(this.#background[name], colorCounts[this.#mode]) : undefined;
    return code?.replace(/^\d+/, (number) => String(Number(number) + 10));
  }
}

/** The theme where there are no colours. */
export const plainTheme = new UiTheme({}, {}, "none");

let current = plainTheme;

/** The theme of the terminal; without a terminal, one without colours. */
export function currentTheme(): UiTheme {
  return current;
}

/** Sets the theme of the terminal. Functions for extensions read it each time they style a text. */
export function setCurrentTheme(theme: UiTheme): void {
  current = theme;
}
