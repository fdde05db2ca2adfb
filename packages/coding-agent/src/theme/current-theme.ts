import { plainTheme, type UiTheme } from "./ui-theme.ts";

let current = plainTheme;

/** The theme of the terminal; without a terminal, one without colours. */
export function currentTheme(): UiTheme {
  return current;
}

/** Sets the theme of the terminal. Functions for extensions read it each time they style a text. */
export function setCurrentTheme(theme: UiTheme): void {
  current = theme;
}
