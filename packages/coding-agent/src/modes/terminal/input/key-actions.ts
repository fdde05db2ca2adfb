import type { Keybinding, KeyId } from "../library.ts";

/** An action that a key starts. */
export interface KeyAction {
  readonly keys: readonly KeyId[];
  readonly description: string;
  /** For actions of the library's editor and lists: their name there. */
  readonly library?: Keybinding;
}

/** All actions by their names in the setting `keys`, with their default keys. */
export const keyActions = {
  submit: {
    keys: ["enter"],
    description: "Send the prompt; while the agent works, at its next step",
    library: "tui.input.submit",
  },
  followUp: { keys: ["alt+enter"], description: "Send the prompt after the present work" },
  newLine: { keys: ["shift+enter", "ctrl+j"], description: "Start a new line", library: "tui.input.newLine" },
  complete: { keys: ["tab"], description: "Complete a path or a command", library: "tui.input.tab" },
  abort: { keys: ["escape"], description: "Stop the agent; twice: go back to an earlier message" },
  clear: { keys: ["ctrl+c"], description: "Clear the editor; twice: exit" },
  exit: { keys: ["ctrl+d"], description: "Exit, when the editor is empty" },
  suspend: { keys: ["ctrl+z"], description: "Suspend; `fg` continues" },
  redraw: { keys: ["ctrl+l"], description: "Draw the screen again" },
  editQueue: { keys: ["alt+up"], description: "Take the queued messages back into the editor" },
  externalEditor: { keys: ["ctrl+g"], description: "Edit the prompt in the external editor" },
  pasteImage: { keys: ["ctrl+v"], description: "Attach the image of the clipboard" },
  historySearch: { keys: ["ctrl+r"], description: "Search the earlier prompts" },
  cycleModel: { keys: ["ctrl+p"], description: "Use the next model" },
  cycleThinking: { keys: ["shift+tab"], description: "Use the next thinking level" },
  toggleThinking: { keys: ["ctrl+t"], description: "Show or fold the thinking" },
  toggleToolOutput: { keys: ["ctrl+o"], description: "Show more or less of the tools' output" },
  historyPrevious: { keys: [], description: "Previous prompt", library: "tui.editor.historyPrevious" },
  historyNext: { keys: [], description: "Next prompt", library: "tui.editor.historyNext" },
  cursorUp: { keys: ["up"], description: "Up; in the first line: previous prompt", library: "tui.editor.cursorUp" },
  cursorDown: { keys: ["down"], description: "Down; in the last line: next prompt", library: "tui.editor.cursorDown" },
  cursorLeft: { keys: ["left", "ctrl+b"], description: "Left", library: "tui.editor.cursorLeft" },
  cursorRight: { keys: ["right", "ctrl+f"], description: "Right", library: "tui.editor.cursorRight" },
  cursorWordLeft: {
    keys: ["alt+left", "ctrl+left", "alt+b"],
    description: "To the start of the word",
    library: "tui.editor.cursorWordLeft",
  },
  cursorWordRight: {
    keys: ["alt+right", "ctrl+right", "alt+f"],
    description: "To the end of the word",
    library: "tui.editor.cursorWordRight",
  },
  cursorLineStart: {
    keys: ["home", "ctrl+home", "ctrl+a"],
    description: "To the start of the line",
    library: "tui.editor.cursorLineStart",
  },
  cursorLineEnd: {
    keys: ["end", "ctrl+end", "ctrl+e"],
    description: "To the end of the line",
    library: "tui.editor.cursorLineEnd",
  },
  pageUp: { keys: ["pageUp", "ctrl+pageUp"], description: "One page up in the editor", library: "tui.editor.pageUp" },
  pageDown: { keys: ["pageDown", "ctrl+pageDown"], description: "One page down in the editor", library: "tui.editor.pageDown" },
  jumpForward: { keys: ["ctrl+]"], description: "To the next place of a character", library: "tui.editor.jumpForward" },
  jumpBackward: { keys: ["ctrl+alt+]"], description: "To the previous place of a character", library: "tui.editor.jumpBackward" },
  deleteCharBackward: { keys: ["backspace"], description: "Delete the character before", library: "tui.editor.deleteCharBackward" },
  deleteCharForward: {
    keys: ["delete", "ctrl+d"],
    description: "Delete the character after",
    library: "tui.editor.deleteCharForward",
  },
  deleteWordBackward: {
    keys: ["ctrl+w", "alt+backspace"],
    description: "Delete the word before",
    library: "tui.editor.deleteWordBackward",
  },
  deleteWordForward: {
    keys: ["alt+d", "alt+delete"],
    description: "Delete the word after",
    library: "tui.editor.deleteWordForward",
  },
  deleteToLineStart: {
    keys: ["ctrl+u"],
    description: "Delete to the start of the line",
    library: "tui.editor.deleteToLineStart",
  },
  deleteToLineEnd: { keys: ["ctrl+k"], description: "Delete to the end of the line", library: "tui.editor.deleteToLineEnd" },
  yank: { keys: ["ctrl+y"], description: "Insert what was deleted last", library: "tui.editor.yank" },
  yankPop: { keys: ["alt+y"], description: "After that: what was deleted before it", library: "tui.editor.yankPop" },
  undo: { keys: ["ctrl+-", "ctrl+_", "ctrl+shift+-"], description: "Undo", library: "tui.editor.undo" },
  selectUp: { keys: ["up"], description: "Previous row of a list", library: "tui.select.up" },
  selectDown: { keys: ["down"], description: "Next row of a list", library: "tui.select.down" },
  selectPageUp: { keys: ["pageUp"], description: "One page up in a list", library: "tui.select.pageUp" },
  selectPageDown: { keys: ["pageDown"], description: "One page down in a list", library: "tui.select.pageDown" },
  selectConfirm: { keys: ["enter"], description: "Take the row of a list", library: "tui.select.confirm" },
  selectCancel: { keys: ["escape", "ctrl+c"], description: "Close a list", library: "tui.select.cancel" },
} as const satisfies Record<string, KeyAction>;

export type ActionName = keyof typeof keyActions;

export const actionNames = Object.keys(keyActions) as ActionName[];

/** `list`: keys while a list or a question is open. `editor`: keys of the editor. `session`: other keys, while no list is open. */
export type ActionGroup = "session" | "editor" | "list";

export function groupOf(action: ActionName): ActionGroup {
  const { library }: KeyAction = keyActions[action];
  if (library === undefined) return "session";
  return library.startsWith("tui.select.") ? "list" : "editor";
}

/** Actions that share a key: the editor's state decides between them. */
const sharing: readonly ActionName[] = ["exit", "deleteCharForward"];

/** Whether two actions may not have the same key. */
export function exclude(a: ActionName, b: ActionName): boolean {
  const isApart = (groupOf(a) === "list") !== (groupOf(b) === "list");
  return a !== b && !isApart && !(sharing.includes(a) && sharing.includes(b));
}
