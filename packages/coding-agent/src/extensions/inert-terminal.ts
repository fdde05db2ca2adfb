import type { TerminalInterface } from "../terminal-interface.ts";
import { plainTheme } from "../theme/ui-theme.ts";
import type { UserInterface } from "../user-interface.ts";

/** Creates the stand-in for a terminal where there is none: nothing is shown, and questions have no answer. */
export function createInertTerminal(user: Pick<UserInterface, "setEditorText">): TerminalInterface {
  const ignore = (): void => undefined;
  return {
    theme: plainTheme,
    onTerminalInput: () => ignore,
    setWorkingMessage: ignore,
    setWorkingVisible: ignore,
    setWorkingIndicator: ignore,
    setHiddenThinkingLabel: ignore,
    setFooter: ignore,
    setHeader: ignore,
    custom: async () => undefined,
    pasteToEditor: (text) => user.setEditorText(text),
    getEditorText: () => "",
    addAutocompleteProvider: ignore,
    setEditorComponent: ignore,
    getEditorComponent: () => undefined,
    getAllThemes: () => [],
    getTheme: () => undefined,
    setTheme: () => ({ success: false, error: "There is no terminal whose theme could be changed." }),
    getToolsExpanded: () => false,
    setToolsExpanded: ignore,
  };
}
