import { setCurrentTheme } from "../../../theme/ui-theme.ts";
import type { TerminalSettings } from "../terminal-settings.ts";
import { TerminalTheme } from "./terminal-theme.ts";
import { ThemeList } from "./theme-list.ts";

/** Creates the theme of the settings, which extensions have from now on, and the list of those that can be chosen. */
export function createThemes({ theme: overrides, themeName, themePlaces = [] }: TerminalSettings): {
  theme: TerminalTheme;
  themes: ThemeList;
} {
  const theme = new TerminalTheme(overrides);
  const themes = new ThemeList(theme, themePlaces);
  // A theme that is not there may come with the session.
  if (themeName !== undefined) themes.choose(themeName);
  setCurrentTheme(theme.ui);
  return { theme, themes };
}
