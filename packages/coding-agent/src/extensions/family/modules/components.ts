import { CancellableLoader, Container, Editor, getKeybindings, Loader, Spacer, Text } from "@earendil-works/pi-tui";
import type { EditorTheme, UiComponent, UiKeybindings, UiScreen } from "../../../terminal-interface.ts";
import { currentTheme, type UiTheme } from "../../../theme/ui-theme.ts";

/** The library's own type of the terminal: extensions pass it on as they get it. */
type Tui = ConstructorParameters<typeof Editor>[0];

/** A horizontal line. */
class DynamicBorder implements UiComponent {
  readonly #color: (text: string) => string;

  /** @param color - Default: the colour of borders. */
  constructor(color: (text: string) => string = (text) => currentTheme().fg("border", text)) {
    this.#color = color;
  }

  invalidate(): void {}

  render(width: number): string[] {
    return [this.#color("─".repeat(Math.max(1, width)))];
  }
}

/** A sign of life between two lines, with a key that cancels what it waits for. */
class BorderedLoader extends Container {
  readonly #loader: Loader;
  readonly #controller = new AbortController();

  constructor(screen: UiScreen, theme: UiTheme, message: string, { cancellable = true }: { cancellable?: boolean } = {}) {
    super();
    const border = () => new DynamicBorder((text) => theme.fg("border", text));
    const styles = [(text: string) => theme.fg("accent", text), (text: string) => theme.fg("muted", text)] as const;
    const tui = screen as unknown as Tui;
    this.#loader = cancellable ? new CancellableLoader(tui, ...styles, message) : new Loader(tui, ...styles, message);
    this.addChild(border());
    this.addChild(this.#loader);
    if (cancellable) {
      this.addChild(new Spacer(1));
      this.addChild(new Text(keyHint("tui.select.cancel", "cancel"), 1, 0));
    }
    this.addChild(new Spacer(1));
    this.addChild(border());
  }

  /** Aborted when the user cancels. */
  get signal(): AbortSignal {
    return this.#loader instanceof CancellableLoader ? this.#loader.signal : this.#controller.signal;
  }

  set onAbort(listener: (() => void) | undefined) {
    if (this.#loader instanceof CancellableLoader && listener) this.#loader.onAbort = listener;
  }

  handleInput(data: string): void {
    if (this.#loader instanceof CancellableLoader) this.#loader.handleInput(data);
  }

  dispose(): void {
    this.#loader.stop();
  }
}

/** An editor for prompts, to extend. It knows the keys of the session, such as the one that stops a run; the terminal gives it what they do. */
class CustomEditor extends Editor {
  readonly embedWorkingStatus: boolean;
  readonly actionHandlers = new Map<string, () => void>();
  onEscape?: () => void;
  onCtrlD?: () => void;
  onPasteImage?: () => void;
  onExtensionShortcut?: (data: string) => boolean;
  readonly #keybindings: UiKeybindings;

  constructor(
    screen: UiScreen,
    theme: EditorTheme,
    keybindings: UiKeybindings,
    { embedWorkingStatus = false, ...options }: ConstructorParameters<typeof Editor>[2] & { embedWorkingStatus?: boolean } = {},
  ) {
    super(screen as unknown as Tui, theme, options);
    this.#keybindings = keybindings;
    this.embedWorkingStatus = embedWorkingStatus;
  }

  onAction(action: string, handler: () => void): void {
    this.actionHandlers.set(action, handler);
  }

  setWorkingStatusIndicator(): void {}

  override handleInput(data: string): void {
    if (this.onExtensionShortcut?.(data)) return;
    const handler = this.#handlerOf(data);
    if (handler) handler();
    else super.handleInput(data);
  }

  #handlerOf(data: string): (() => void) | undefined {
    const isKeyOf = (action: string) => this.#keybindings.matches(data, action);
    if (isKeyOf("app.clipboard.pasteImage") && this.onPasteImage) return this.onPasteImage;
    if (isKeyOf("app.interrupt")) {
      // The list of completions closes first.
      return this.isShowingAutocomplete() ? undefined : (this.onEscape ?? this.actionHandlers.get("app.interrupt"));
    }
    // In a text the key deletes a character.
    if (isKeyOf("app.exit")) return this.getText() === "" ? (this.onCtrlD ?? this.actionHandlers.get("app.exit")) : undefined;
    for (const [action, handler] of this.actionHandlers) if (isKeyOf(action)) return handler;
    return undefined;
  }
}

/** The keys of an action, such as `ctrl+c`; empty if it has none. */
function keyText(action: string): string {
  return getKeybindings()
    .getKeys(action as never)
    .join("/");
}

/** A short help about a key. */
function keyHint(action: string, description: string): string {
  return rawKeyHint(keyText(action), description);
}

function rawKeyHint(key: string, description: string): string {
  const theme = currentTheme();
  return `${theme.fg("dim", key)}${theme.fg("muted", ` ${description}`)}`;
}

/** The last lines of a text as a terminal of this width shows them. */
function truncateToVisualLines(
  text: string,
  maxVisualLines: number,
  width: number,
  paddingX = 0,
): { visualLines: string[]; skippedCount: number } {
  const lines = text === "" ? [] : new Text(text, paddingX, 0).render(width);
  const skippedCount = Math.max(0, lines.length - maxVisualLines);
  return { visualLines: lines.slice(skippedCount), skippedCount };
}

/** The components of the coding agent, and functions about keys. */
export const components: Record<string, unknown> = {
  ...{ DynamicBorder, BorderedLoader, CustomEditor },
  ...{ keyText, keyHint, rawKeyHint, truncateToVisualLines },
};
