import type { UiTheme } from "./theme/ui-theme.ts";

/** A part of the terminal that an extension draws. Components of the terminal library have this shape. */
export interface UiComponent {
  /** Returns the lines, each at most `width` cells wide. */
  render(width: number): string[];
  /** Called with each key while the component has the keys: the text that the terminal has sent. */
  handleInput?(data: string): void;
  /** Called when the colours have changed: lines that the component has kept are to be made again. */
  invalidate?(): void;
  /** Called once, when the component is not shown any more. */
  dispose?(): void;
  /** Set to true while the component has the keys, if it has this member. */
  focused?: boolean;
}

/** The terminal as a component sees it. */
export interface UiScreen {
  /** Draws the component again, soon. */
  requestRender(force?: boolean): void;
  /** The size in cells; `write` writes a sequence that shows nothing. */
  readonly terminal: { readonly columns: number; readonly rows: number; write(text: string): void };
  /** The conversation is always in the terminal's own scrollback. */
  readonly mode: "regular";
  /** Gives the terminal to another program, and takes it back with `start`. */
  stop(): void;
  start(): void;
  /** Calls `listener` with each key before others; see `onTerminalInput`. */
  addInputListener(listener: TerminalInputListener): () => void;
  /** Shows a component above the others until the handle's `hide` is called. */
  showOverlay(component: UiComponent, options?: OverlayOptions): OverlayHandle;
}

/** The keys of the user, by the names of actions such as `tui.select.confirm` and `app.interrupt`. */
export interface UiKeybindings {
  /** Whether a key, as the terminal sent it, starts an action. */
  matches(data: string, action: string): boolean;
  /** The names of the keys of an action, such as `ctrl+c`. */
  getKeys(action: string): string[];
}

/** Facts for a line at the bottom. */
export interface FooterData {
  /** null outside a git repository. */
  getGitBranch(): string | null;
  /** The texts of `setStatus`. */
  getExtensionStatuses(): ReadonlyMap<string, string>;
  /** The number of providers with usable models. */
  getAvailableProviderCount(): number;
  onBranchChange(listener: () => void): () => void;
}

export type WidgetFactory = (screen: UiScreen, theme: UiTheme) => UiComponent;
export type FooterFactory = (screen: UiScreen, theme: UiTheme, data: FooterData) => UiComponent;
export type CustomFactory<T> = (
  screen: UiScreen,
  theme: UiTheme,
  keys: UiKeybindings,
  done: (result: T) => void,
) => UiComponent | Promise<UiComponent>;

/** A number of cells, or a share of the terminal such as `50%`. */
export type CellCount = number | `${number}%`;

/** Where and how large an overlay is. It is a box in the live region, so only its horizontal place can be chosen. */
export interface OverlayOptions {
  width?: CellCount;
  minWidth?: number;
  maxHeight?: CellCount;
  anchor?: string;
  offsetX?: number;
  col?: CellCount;
  margin?: number | { left?: number; right?: number };
  /** Whether it is shown in a terminal of this size. */
  visible?(columns: number, rows: number): boolean;
  /** Whether the keys stay with what is below. */
  nonCapturing?: boolean;
}

/** Controls an overlay. */
export interface OverlayHandle {
  /** Removes it. */
  hide(): void;
  setHidden(isHidden: boolean): void;
  isHidden(): boolean;
  /** Gives it the keys. */
  focus(): void;
  unfocus(): void;
  isFocused(): boolean;
  getBounds(): undefined;
}

export interface CustomOptions {
  overlay?: boolean;
  overlayOptions?: OverlayOptions | (() => OverlayOptions);
  /** Called when the overlay is shown. */
  onHandle?(handle: OverlayHandle): void;
  /** An abort closes the component, and resolves with undefined. Default: the signal of the handler. */
  signal?: AbortSignal;
}

/** Called with each key before others. `consume` keeps it from them; `data` replaces it. */
export type TerminalInputListener = (data: string) => { consume?: boolean; data?: string } | undefined;

/** An item of a list of completions. */
export interface CompletionItem {
  value: string;
  label: string;
  description?: string;
}

/** Completes what is typed in the editor. */
export interface CompletionProvider {
  triggerCharacters?: string[];
  getSuggestions(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    options: { signal: AbortSignal; force?: boolean },
  ): Promise<{ items: CompletionItem[]; prefix: string } | null>;
  applyCompletion(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    item: CompletionItem,
    prefix: string,
  ): { lines: string[]; cursorLine: number; cursorCol: number };
  shouldTriggerFileCompletion?(lines: string[], cursorLine: number, cursorCol: number): boolean;
}

/** An editor for prompts in place of the usual one. */
export interface EditorComponent extends UiComponent {
  getText(): string;
  setText(text: string): void;
  handleInput(data: string): void;
  onSubmit?: (text: string) => void;
  onChange?: (text: string) => void;
  getExpandedText?(): string;
  insertTextAtCursor?(text: string): void;
  addToHistory?(text: string): void;
  setAutocompleteProvider?(provider: CompletionProvider): void;
  /** Functions for keys of the session by the names of their actions, such as `app.clear`: the terminal fills it in. */
  actionHandlers?: Map<string, () => void>;
  onEscape?: () => void;
  onCtrlD?: () => void;
  onPasteImage?: () => void;
  /** Returns whether a shortcut of an extension has taken the key. */
  onExtensionShortcut?: (data: string) => boolean;
}

/** The styles that the editor of the terminal library takes. */
export interface EditorTheme {
  borderColor(text: string): string;
  selectList: Record<"selectedPrefix" | "selectedText" | "description" | "scrollInfo" | "noMatch", (text: string) => string>;
}

export type EditorFactory = (screen: UiScreen, theme: EditorTheme, keys: UiKeybindings) => EditorComponent;

/** The sign of life while the agent works. */
export interface WorkingIndicator {
  /** The pictures, shown one after another as they are. Empty: none. */
  frames?: readonly string[];
  /** Milliseconds for which each is shown. */
  intervalMs?: number;
}

/** The members for extensions that only a terminal has, beyond the dialogs and texts of every user interface. */
export interface TerminalInterface {
  /** The colours of the moment. */
  readonly theme: UiTheme;
  /** Calls `listener` with each key before others. Returns a function that removes it. */
  onTerminalInput(listener: TerminalInputListener): () => void;
  /** Sets the text beside the sign of life while the agent works. Without a text: the usual one. */
  setWorkingMessage(message?: string): void;
  /** Whether the line about the work is shown. */
  setWorkingVisible(isVisible: boolean): void;
  /** Without an argument: the usual one. */
  setWorkingIndicator(indicator?: WorkingIndicator): void;
  /** Sets the word for thinking that is folded. Without a text: the usual one. */
  setHiddenThinkingLabel(label?: string): void;
  /** Shows a component in place of the status line; undefined: the usual line. */
  setFooter(factory: FooterFactory | undefined): void;
  /** Prints a component once into the conversation; undefined: nothing. */
  setHeader(factory: WidgetFactory | undefined): void;
  /** Shows a component in place of the editor. Resolves with the value that it gives to `done`. */
  custom<T>(factory: CustomFactory<T>, options?: CustomOptions): Promise<T | undefined>;
  /** Inserts a text at the cursor of the editor, as if it was pasted. */
  pasteToEditor(text: string): void;
  getEditorText(): string;
  /** Puts further completions before the present ones. `factory` gets the present ones. */
  addAutocompleteProvider(factory: (current: CompletionProvider) => CompletionProvider): void;
  /** Uses another editor for prompts; undefined: the usual one. */
  setEditorComponent(factory: EditorFactory | undefined): void;
  getEditorComponent(): EditorFactory | undefined;
  /** All themes that can be chosen. */
  getAllThemes(): { name: string; path: string | undefined }[];
  /** A theme by its name; undefined if there is none. */
  getTheme(name: string): UiTheme | undefined;
  /** Uses a theme until the end of pi. */
  setTheme(theme: string | UiTheme): { success: boolean; error?: string };
  /** Whether more of the output of tools is shown. */
  getToolsExpanded(): boolean;
  setToolsExpanded(isExpanded: boolean): void;
}

/** The functions of a tool that show its calls, as far as it has them. They never throw; the results have any type. */
export interface ToolRenderer {
  /** Whether components are shown as they are, without a mark and without indentation. */
  isSelfFramed: boolean;
  call?(args: unknown, theme: UiTheme, context: never): unknown;
  result?(result: never, options: { expanded: boolean; isPartial: boolean }, theme: UiTheme, context: never): unknown;
}

/** A key of an extension. */
export interface ContributedShortcut {
  /** Such as `ctrl+x`. */
  key: string;
  description: string | undefined;
  press(): void;
}

/** The message of which Markdown is a part. */
export interface MarkdownContext {
  messageType: "user" | "assistant" | "assistant-thinking";
  /** Whether the part may still grow. */
  isStreaming: boolean;
  /** Cells. */
  availableWidth: number;
}

/** The registrations of extensions that only a terminal uses. None of the functions throws. */
export interface TerminalContributions {
  shortcuts(): readonly ContributedShortcut[];
  toolRenderer(name: string): ToolRenderer | undefined;
  /** The function for messages of this type: `(message, options, theme)`. Its results have any type. */
  messageRenderer(customType: string): ((...args: unknown[]) => unknown) | undefined;
  /** The function for entries of this type: `(entry, options, theme)`. */
  entryRenderer(customType: string): ((...args: unknown[]) => unknown) | undefined;
  /** Changes a part of a message before it is rendered. */
  transformMarkdown(markdown: string, context: MarkdownContext): string;
  /** Completes the arguments of a command of an extension. */
  completeArguments(command: string, typed: string): Promise<readonly CompletionItem[]>;
}

/** A terminal as a session has it, for all of its extensions. */
export interface SessionTerminal extends TerminalInterface {
  /** Shows a component beside the editor, identified by a key; without a factory it is removed. */
  setWidgetComponent(key: string, factory: WidgetFactory | undefined, placement?: "aboveEditor" | "belowEditor"): void;
  /** Uses the registrations of extensions, in place of former ones. */
  connect(contributions: TerminalContributions): void;
  /** Shows an entry of an extension, if there is a renderer for it. */
  showEntry(entry: { customType: string; data: unknown }): void;
  /** Adds themes that can be chosen: JSON files, and folders of them. */
  addThemes(places: readonly string[]): void;
  /** Removes all that extensions have changed, because they have ended. */
  reset(): void;
}
