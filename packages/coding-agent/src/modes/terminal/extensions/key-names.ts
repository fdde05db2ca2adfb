import type { UiKeybindings } from "../../../terminal-interface.ts";
import type { ActionName } from "../input/key-actions.ts";
import type { KeyBindings } from "../input/keys.ts";
import { getKeybindings, type Keybinding } from "../library.ts";

/** The actions of the session by the names that extensions use for them. */
export const sessionActions: Readonly<Record<string, ActionName>> = {
  "app.interrupt": "abort",
  "app.clear": "clear",
  "app.exit": "exit",
  "app.suspend": "suspend",
  "app.thinking.cycle": "cycleThinking",
  "app.thinking.toggle": "toggleThinking",
  "app.model.cycleForward": "cycleModel",
  "app.tools.expand": "toggleToolOutput",
  "app.editor.external": "externalEditor",
  "app.message.followUp": "followUp",
  "app.message.dequeue": "editQueue",
  "app.clipboard.pasteImage": "pasteImage",
};

/** The keys of the user for extensions: `app.…` are keys of the session, `tui.…` those of the editor and of lists. */
export function createUiKeybindings(keys: KeyBindings): UiKeybindings {
  return {
    matches(data, action) {
      const own = sessionActions[action];
      return own === undefined ? getKeybindings().matches(data, action as Keybinding) : keys.matches(data, own);
    },
    getKeys(action) {
      const own = sessionActions[action];
      return own === undefined ? getKeybindings().getKeys(action as Keybinding) : keys.names(own);
    },
  };
}
