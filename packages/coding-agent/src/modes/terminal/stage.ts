import type { DescribingStore } from "../../conversation/session-store.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { ContributedShortcut, SessionTerminal } from "../../terminal-interface.ts";
import type { Block } from "./block.ts";
import type { TextWithImages } from "./input/attachments.ts";
import type { KeyBindings } from "./input/keys.ts";
import type { Panel } from "./panel.ts";
import type { Theme } from "./theme/theme.ts";

/** The terminal as its parts use it: dialogs, commands, the editor. */
export interface Stage {
  /** Throws while the session is being opened. */
  readonly session: AgentSession;
  /** Whether the session is open. */
  readonly isOpen: boolean;
  /** The store of sessions; undefined if they are stored in files. */
  readonly store: DescribingStore | undefined;
  readonly theme: Theme;
  /** The themes that can be chosen. */
  readonly themes: Pick<SessionTerminal, "getAllThemes" | "setTheme">;
  /** The keys in use. */
  readonly keys: KeyBindings;
  /** The keys of extensions. */
  readonly shortcuts: readonly ContributedShortcut[];
  /** Shows a block below the others. */
  add(block: Block): void;
  /** Shows a line about the work itself; `error` and `warning` are coloured. The text is made safe for the terminal. */
  note(text: string, kind?: "info" | "warning" | "error"): void;
  /** Draws the live region again, soon. `now`: with the next turn of the event loop, as after a key. */
  refresh(now?: boolean): void;
  /** Opens a panel in place of the editor. A panel that is opened later is above it. Returns a function that closes it. */
  open(panel: Panel): () => void;
  /** Whether a panel is open, which gets the keys. */
  readonly hasPanel: boolean;
  /** The text in the editor. */
  readonly promptText: string;
  setPromptText(text: string): void;
  /** Puts prompts above the text of the editor, with their images. */
  addToPrompt(prompts: readonly TextWithImages[]): void;
  /** Reads the keys and the theme of the settings again. Rejects for faulty settings. */
  reloadSettings(): Promise<void>;
  /** Shows the conversation of the session from its beginning, after the session has moved to another conversation or branch. */
  showConversation(): void;
  /** Gives the terminal to `use`, for example to an external editor, and takes it back when that has settled. */
  lend<T>(use: () => Promise<T>): Promise<T>;
  /** The size of the terminal in cells. */
  readonly columns: number;
  readonly rows: number;
  /** Writes a sequence that shows nothing, such as one for the clipboard or the title. */
  writeSequence(sequence: string): void;
  /** Ends the mode. */
  quit(): void;
}

/** The part of the terminal that a panel needs. A panel can be shown before there is a session. */
export type PanelStage = Pick<Stage, "theme" | "open" | "refresh">;
