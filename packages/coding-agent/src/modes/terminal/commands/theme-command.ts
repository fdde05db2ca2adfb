import { join } from "node:path";
import { agentFolder } from "../../../config/paths.ts";
import { updateJsonFile } from "../../../config/update-json-file.ts";
import { SessionError } from "../../../errors.ts";
import { chooseFrom } from "../dialogs/list-panel.ts";
import type { Stage } from "../stage.ts";
import type { TerminalCommand } from "./command.ts";

export const themeCommand: TerminalCommand = {
  name: "theme",
  description: "choose the colours of the terminal",
  argument: "[name]",
  run: chooseTheme,
};

/** The built-in theme for the background that the terminal has, as without the setting. */
const automatic = "light/dark";

/** Uses a theme from now on, and makes it the setting of the user. */
async function chooseTheme(stage: Stage, typed: string): Promise<void> {
  const name = typed === "" ? await pickTheme(stage) : typed;
  if (name === undefined) return;
  const { error } = stage.themes.setTheme(name);
  if (error !== undefined) throw new SessionError("invalid_input", error);
  const file = join(agentFolder(), "settings.json");
  // Colours of single styles have the same setting as the name of a theme, and would be lost.
  let hasColors = false;
  await updateJsonFile(file, ({ theme, ...others }) => {
    hasColors = typeof theme === "object" && theme !== null;
    if (hasColors) return { ...others, theme };
    return name === automatic ? others : { ...others, theme: name };
  });
  const shown = name === automatic ? "The colours are those for the background of the terminal" : `The theme is ${name}`;
  if (hasColors) stage.note(`${shown}, until pi ends: "theme" in ${file} has colours of its own.`, "warning");
  else stage.note(`${shown}, also from the next start on.`);
}

function pickTheme(stage: Stage): Promise<string | undefined> {
  const own = stage.themes
    .getAllThemes()
    .map(({ name, path }) => ({ value: name, label: name, ...(path === undefined ? {} : { detail: path }) }));
  const rows = [{ value: automatic, label: "automatic", detail: "light or dark, as the background of the terminal" }, ...own];
  return chooseFrom(stage, { title: "Theme", rows });
}
