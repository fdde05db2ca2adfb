import type {
  CompletionProvider,
  CustomFactory,
  CustomOptions,
  EditorFactory,
  FooterData,
  FooterFactory,
  SessionTerminal,
  TerminalContributions,
  TerminalInputListener,
  UiComponent,
  WidgetFactory,
  WorkingIndicator,
} from "../../../terminal-interface.ts";
import type { UiTheme } from "../../../theme/ui-theme.ts";
import { finishedBlock } from "../block.ts";
import { cut } from "../lines.ts";
import { ComponentEditor } from "./component-editor.ts";
import { fitLine } from "./component-lines.ts";
import { contributedBlock } from "./contributed-blocks.ts";
import { CustomComponents } from "./custom-component.ts";
import { createUiKeybindings } from "./key-names.ts";
import { describeShortcutProblem, findShortcut } from "./shortcuts.ts";
import { ShownComponent } from "./shown-component.ts";
import type { TerminalParts } from "./terminal-parts.ts";
import { createUiScreen } from "./ui-screen.ts";

/** Maximum number of lines of a widget, a footer and a header. */
const mostLines = { widget: 20, footer: 8, header: 200 } as const;
/** Limits of the sign of life: pictures, their width in cells, and milliseconds for each. */
const maxFrames = 100;
const maxFrameWidth = 20;
const minFrameMs = 50;
/** Maximum characters of a text for the editor. */
const maxPaste = 1_000_000;

/** The terminal as extensions change it. */
export class StageTerminal implements SessionTerminal {
  readonly #parts: TerminalParts;
  readonly #custom: CustomComponents;
  readonly #listeners = new Set<TerminalInputListener>();
  /** The shortcuts of extensions that were reported, because they cannot be used. */
  readonly #reported = new Set<string>();
  readonly #screen = createUiScreen({
    requestRender: () => this.#parts.stage.refresh(),
    terminal: this.#createSize(),
    stop: () => this.#parts.release(),
    start: () => this.#parts.resume(),
    addInputListener: (listener) => this.onTerminalInput(listener),
    showOverlay: (component, options) => this.#custom.showOverlay(component, options),
  });
  #footer: ShownComponent | undefined;
  #branchListeners: (() => void)[] = [];
  #completion: CompletionProvider;
  #editorFactory: EditorFactory | undefined;
  #contributions: TerminalContributions | undefined;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    this.#custom = new CustomComponents(parts);
    this.#completion = parts.completion;
  }

  get theme(): UiTheme {
    return this.#parts.theme.ui;
  }

  /** The lines of an extension in place of the status line; undefined: the usual one. */
  footerLines(width: number): string[] | undefined {
    return this.#footer?.lines(width);
  }

  /** The lines of extensions above the editor. */
  linesAbove(width: number): string[] {
    return [...this.#custom.lines(width), ...this.#parts.widgets.above(width)];
  }

  /** The key as listeners leave it; undefined if one has consumed it. */
  filterKey(key: string): string | undefined {
    let left = key;
    for (const listener of this.#listeners) {
      try {
        const { consume, data } = listener(left) ?? {};
        if (consume === true) return undefined;
        if (typeof data === "string") left = data;
      } catch (error) {
        this.#listeners.delete(listener);
        this.#parts.onFailure(error);
      }
    }
    return left;
  }

  /** The colours have changed. */
  invalidate(): void {
    this.#footer?.invalidate();
    this.#parts.widgets.invalidate();
    this.#parts.editor.invalidate();
    this.#custom.invalidate();
  }

  connect(contributions: TerminalContributions): void {
    this.#contributions = contributions;
    for (const { key } of contributions.shortcuts()) {
      const problem = describeShortcutProblem(key, this.#parts.stage.keys);
      if (problem === undefined || this.#reported.has(key)) continue;
      this.#reported.add(key);
      this.#parts.stage.note(problem, "warning");
    }
  }

  get contributions(): TerminalContributions | undefined {
    return this.#contributions;
  }

  /** Calls the shortcut of an extension. Returns false if there is none for this key. */
  takeShortcut(key: string): boolean {
    const shortcut = findShortcut(key, this.#contributions?.shortcuts() ?? [], this.#parts.stage.keys);
    shortcut?.press();
    return shortcut !== undefined;
  }

  showEntry(entry: { customType: string; data: unknown }): void {
    const { stage, view } = this.#parts;
    const options = { theme: stage.theme, uiTheme: this.theme, isFull: view.showsToolOutput };
    const block = contributedBlock(this.#contributions?.entryRenderer(entry.customType), { type: "custom", ...entry }, options);
    if (block) stage.add(block);
  }

  onTerminalInput(listener: TerminalInputListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  setWorkingMessage(message?: string): void {
    this.#parts.work.look.message = message;
    this.#parts.stage.refresh();
  }

  setWorkingVisible(isVisible: boolean): void {
    this.#parts.work.look.isVisible = isVisible;
    this.#parts.stage.refresh();
  }

  setWorkingIndicator({ frames, intervalMs }: WorkingIndicator = {}): void {
    const { look } = this.#parts.work;
    look.frames = frames?.slice(0, maxFrames).map((frame) => fitLine(frame, maxFrameWidth));
    look.frameMs = typeof intervalMs === "number" && Number.isFinite(intervalMs) ? Math.max(minFrameMs, intervalMs) : undefined;
    this.#parts.stage.refresh();
  }

  setHiddenThinkingLabel(label?: string): void {
    this.#parts.view.thinkingLabel = label;
    this.#parts.stage.refresh();
  }

  setWidgetComponent(key: string, factory: WidgetFactory | undefined, placement?: "aboveEditor" | "belowEditor"): void {
    const widget = factory && this.#shown(factory(this.#screen, this.theme), mostLines.widget);
    const hasPlace = this.#parts.widgets.setDrawnWidget(key, widget, placement === "belowEditor");
    if (!hasPlace) this.#parts.stage.note(`There are too many widgets; "${key}" is not shown.`, "warning");
    this.#parts.stage.refresh();
  }

  setFooter(factory: FooterFactory | undefined): void {
    this.#footer?.dispose();
    this.#footer = undefined;
    for (const remove of this.#branchListeners.splice(0)) remove();
    if (factory) this.#footer = this.#shown(factory(this.#screen, this.theme, this.#footerData()), mostLines.footer);
    this.#parts.stage.refresh();
  }

  setHeader(factory: WidgetFactory | undefined): void {
    if (!factory) return;
    const header = this.#shown(factory(this.#screen, this.theme), mostLines.header);
    this.#parts.stage.add(
      finishedBlock((width) => {
        const lines = header.lines(width);
        header.dispose();
        return lines;
      }),
    );
  }

  custom<T>(factory: CustomFactory<T>, options: CustomOptions = {}): Promise<T | undefined> {
    const done = () => undefined;
    return this.#custom.show(factory, [this.#screen, this.theme, createUiKeybindings(this.#parts.stage.keys), done], options);
  }

  pasteToEditor(text: string): void {
    this.#parts.editor.paste(cut(text, maxPaste));
    this.#parts.stage.refresh(true);
  }

  getEditorText(): string {
    return this.#parts.editor.expandedText;
  }

  addAutocompleteProvider(factory: (current: CompletionProvider) => CompletionProvider): void {
    this.#setCompletion(factory(this.#completion));
  }

  setEditorComponent(factory: EditorFactory | undefined): void {
    this.#editorFactory = factory;
    const { stage, editor } = this.#parts;
    editor.use(factory && this.#createEditor(factory));
    stage.refresh(true);
  }

  getEditorComponent(): EditorFactory | undefined {
    return this.#editorFactory;
  }

  getAllThemes(): { name: string; path: string | undefined }[] {
    return this.#parts.themes.list();
  }

  getTheme(name: string): UiTheme | undefined {
    return this.#parts.themes.find(name);
  }

  setTheme(theme: string | UiTheme): { success: boolean; error?: string } {
    const problem = this.#parts.themes.choose(theme);
    if (problem !== undefined) return { success: false, error: problem };
    this.invalidate();
    this.#parts.stage.refresh(true);
    return { success: true };
  }

  addThemes(places: readonly string[]): void {
    if (this.#parts.themes.add(places)) this.invalidate();
  }

  getToolsExpanded(): boolean {
    return this.#parts.view.showsToolOutput;
  }

  setToolsExpanded(isExpanded: boolean): void {
    this.#parts.view.showsToolOutput = isExpanded;
    this.#parts.stage.refresh();
  }

  reset(): void {
    const { work, view, widgets, completion } = this.#parts;
    this.#custom.closeAll();
    this.#contributions = undefined;
    this.#listeners.clear();
    work.look = {};
    view.thinkingLabel = undefined;
    widgets.clear();
    this.setFooter(undefined);
    this.#setCompletion(completion);
    if (this.#editorFactory) this.setEditorComponent(undefined);
  }

  #setCompletion(completion: CompletionProvider): void {
    if (completion === this.#completion) return;
    this.#completion = completion;
    this.#parts.editor.setCompletion(completion);
  }

  #createEditor(factory: EditorFactory): ComponentEditor {
    const { stage, history, press, submit } = this.#parts;
    const { theme, keys } = stage;
    const dim = (text: string) => theme.dim(text);
    const accent = (text: string) => theme.accent(text);
    const selectList = { selectedPrefix: accent, selectedText: accent, description: dim, scrollInfo: dim, noMatch: dim };
    const component = factory(this.#screen, { borderColor: (text) => theme.border(text), selectList }, createUiKeybindings(keys));
    return new ComponentEditor(component, {
      ...{ theme, keys, history, completion: this.#completion, press },
      takeShortcut: (key) => this.takeShortcut(key),
      onSubmit: (text) => submit(text, "steer"),
      onFollowUp: (text) => submit(text, "followUp"),
      refresh: () => stage.refresh(true),
      onFailure: (error) => {
        // Not at once: it is being drawn.
        queueMicrotask(() => this.setEditorComponent(undefined));
        this.#parts.onFailure(error);
      },
    });
  }

  #shown(component: UiComponent, most: number): ShownComponent {
    const { stage, onFailure } = this.#parts;
    return new ShownComponent(component, { theme: stage.theme, most, onFailure });
  }

  #footerData(): FooterData {
    const { status, widgets } = this.#parts;
    return {
      getGitBranch: () => status.branch ?? null,
      getExtensionStatuses: () => widgets.statuses,
      getAvailableProviderCount: () => status.providerCount,
      onBranchChange: (listener) => {
        status.branchListeners.add(listener);
        const remove = () => void status.branchListeners.delete(listener);
        this.#branchListeners.push(remove);
        return remove;
      },
    };
  }

  #createSize() {
    const stage = () => this.#parts.stage;
    return {
      get columns() {
        return stage().columns;
      },
      get rows() {
        return stage().rows;
      },
      write: (text: string) => stage().writeSequence(text),
    };
  }
}
