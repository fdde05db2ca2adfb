import type { CompletionProvider } from "../../../terminal-interface.ts";
import type { Widgets } from "../dialogs/widgets.ts";
import type { ActionName } from "../input/key-actions.ts";
import type { PastPrompts } from "../input/prompt-editor.ts";
import type { StatusReader } from "../layout/status-reader.ts";
import type { WorkLine } from "../layout/work-line.ts";
import type { Stage } from "../stage.ts";
import type { TerminalTheme } from "../theme/terminal-theme.ts";
import type { ThemeList } from "../theme/theme-list.ts";
import type { ConversationView } from "../view/conversation-view.ts";
import type { EditorSlot } from "./editor-slot.ts";

/** The parts of the terminal that extensions can change. */
export interface TerminalParts {
  stage: Pick<Stage, "theme" | "keys" | "open" | "refresh" | "note" | "add" | "columns" | "rows" | "writeSequence">;
  theme: TerminalTheme;
  themes: ThemeList;
  editor: EditorSlot;
  history: PastPrompts;
  completion: CompletionProvider;
  view: ConversationView;
  work: WorkLine;
  status: StatusReader;
  widgets: Widgets;
  /** Does what a key of the session does. */
  press(action: ActionName): void;
  submit(text: string, behavior: "steer" | "followUp"): void;
  /** Gives the terminal to another program, and takes it back. */
  release(): void;
  resume(): void;
  /** Called with the error of a component that is removed for it. */
  onFailure(error: unknown): void;
}
