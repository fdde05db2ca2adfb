import { type ThemeColors, trueColors } from "../../../theme/colors.ts";
import { type ColorMode, UiTheme } from "../../../theme/ui-theme.ts";
import type { ThemeOptions } from "./create-theme.ts";
import { type ColorName, darkPalette, lightPalette } from "./palette.ts";
import type { ThemeFile } from "./theme-file.ts";
import { backgrounds, foregroundRoles } from "./theme-names.ts";

/** Creates the theme for extensions with the same colours as ours. Colours that a file does not have are those of the built-in theme. */
export function createUiTheme({ colors, isLight, overrides = {} }: ThemeOptions, file?: ThemeFile): UiTheme {
  const palette = isLight ? lightPalette : darkPalette;
  const usual = (style: ColorName): string | number => {
    const [trueColor, of256, of16] = palette[style];
    return colors >= trueColors ? trueColor : colors >= 256 ? of256 : of16;
  };
  const foreground: Record<string, string | number | undefined> = {};
  for (const [name, style] of Object.entries(foregroundRoles)) {
    const setting = style !== "" && Object.hasOwn(overrides, style) ? (overrides[style] as string | number) : undefined;
    foreground[name] = setting ?? file?.colors[name] ?? (style === "" ? "" : usual(style));
  }
  const mode = modeOf(colors);
  const { name, path } = file ?? { name: isLight ? "light" : "dark", path: undefined };
  return new UiTheme(foreground, { ...backgroundsFor(colors, isLight), ...file?.colors }, mode, { name, sourcePath: path });
}

/** The 16 colours have no suitable backgrounds. */
function backgroundsFor(colors: number, isLight: boolean): ThemeColors {
  return colors >= 256 ? backgrounds[isLight ? "light" : "dark"] : {};
}

function modeOf(colors: number): ColorMode {
  if (colors >= trueColors) return "truecolor";
  if (colors >= 256) return "256color";
  return colors >= 16 ? "16color" : "none";
}
