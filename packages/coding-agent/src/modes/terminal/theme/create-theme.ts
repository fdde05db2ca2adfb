import { colorCode, parseColor, type ThemeColors } from "../../../theme/colors.ts";
import { createStyle, type Style } from "../../../theme/style.ts";
import { type ColorName, colorNames, darkPalette, lightPalette } from "./palette.ts";
import type { Theme } from "./theme.ts";
import { styleSources } from "./theme-names.ts";

/** Colours of the user's settings by the name of the style: `#rrggbb`, a number from 0 to 255, or a name such as `red`. */
export type ThemeOverrides = Readonly<Record<string, unknown>>;

export interface ThemeOptions {
  /** From `colorsOf`. */
  colors: number;
  /** Whether the background of the terminal is light. */
  isLight: boolean;
  /** From `theme` in `settings.json`. Names and colours that do not exist are ignored; `checkOverrides` reports them. */
  overrides?: ThemeOverrides | undefined;
  /** The colours of a theme file. Those of the settings precede them. */
  file?: ThemeColors | undefined;
}

/** Creates the styles of a terminal. */
export function createTheme({ colors, isLight, overrides = {}, file = {} }: ThemeOptions): Theme {
  const palette = isLight ? lightPalette : darkPalette;
  const style = (start: string, end: string): Style => (colors === 0 ? (text) => text : createStyle(start, end));
  const color = (name: ColorName) => {
    const setting = Object.hasOwn(overrides, name) ? overrides[name] : file[styleSources[name]];
    if (setting === "") return (text: string) => text;
    return style(parseColor(setting, colors) ?? colorCode(palette[name], colors), "39");
  };
  return {
    colors,
    isLight,
    bold: style("1", "22"),
    italic: style("3", "23"),
    underline: style("4", "24"),
    strikethrough: style("9", "29"),
    ...(Object.fromEntries(colorNames.map((name) => [name, color(name)])) as Record<ColorName, Style>),
  };
}
