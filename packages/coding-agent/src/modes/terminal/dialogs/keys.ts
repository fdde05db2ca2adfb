import { CURSOR_MARKER, getKeybindings, type Input, type Keybinding } from "../library.ts";

type SelectKey = Extract<Keybinding, `tui.select.${string}`> extends `tui.select.${infer Name}` ? Name : never;

/** Whether a key is the one for an action in lists and questions. The user can change these keys in the settings. */
export function isSelectKey(key: string, action: SelectKey): boolean {
  return getKeybindings().matches(key, `tui.select.${action}`);
}

/** Whether a key closes a list or a question: Esc or Ctrl-C, if the settings do not say otherwise. */
export function isCancel(key: string): boolean {
  return isSelectKey(key, "cancel");
}

/** A line to type in. The library draws a cursor of its own; the cursor of the terminal stands in its place. */
export function renderInput(input: Input, width: number): string {
  const [line = ""] = input.render(width);
  return line.replace(`${CURSOR_MARKER}\u001b[7m`, CURSOR_MARKER).replace("\u001b[27m", "").trimEnd();
}
