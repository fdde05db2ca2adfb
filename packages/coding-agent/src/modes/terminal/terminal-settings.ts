import type { DescribingStore } from "../../conversation/session-store.ts";
import type { FirstScreen } from "./first-screen.ts";
import type { KeySettings } from "./input/keys.ts";
import type { ThemeOverrides } from "./theme/create-theme.ts";

/** The settings of the mode. */
export interface TerminalSettings {
  keys?: KeySettings;
  theme?: ThemeOverrides;
  /** The command of the external editor. Default: that of the environment. */
  externalEditor?: string;
  showThinking?: boolean;
  showToolOutput?: boolean;
  /** The name of a theme; `light name/dark name` for both backgrounds. */
  themeName?: string;
  /** Folders of theme files, and files. */
  themePlaces?: readonly string[];
  /** Lines about settings that are not used. */
  problems?: readonly string[];
}

export interface TerminalModeOptions {
  first: FirstScreen;
  cwd: string;
  agentDir: string;
  settings: TerminalSettings;
  /** Reads the settings again, for `/reload`. */
  readSettings(): Promise<TerminalSettings>;
  /** Whether prompts are stored for other sessions. */
  isStored: boolean;
  /** The store of sessions; undefined if they are stored in files, or not at all. */
  store: DescribingStore | undefined;
}
