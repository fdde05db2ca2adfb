import type { CompletionProvider, EditorComponent } from "../../../terminal-interface.ts";
import type { ActionName } from "../input/key-actions.ts";
import type { KeyBindings } from "../input/keys.ts";
import { toPaste } from "../input/pastes.ts";
import type { PastPrompts } from "../input/prompt-editor.ts";
import type { PromptSource } from "../input/prompt-source.ts";
import type { Theme } from "../theme/theme.ts";
import { sessionActions } from "./key-names.ts";
import { ShownComponent } from "./shown-component.ts";

/** Maximum number of earlier prompts that an editor gets. */
const maxHistory = 100;

export interface ComponentEditorOptions {
  theme: Theme;
  keys: KeyBindings;
  history: PastPrompts;
  completion: CompletionProvider;
  /** Does what a key of the session does. */
  press(action: ActionName): void;
  /** Returns whether a shortcut of an extension has taken the key. */
  takeShortcut(key: string): boolean;
  onSubmit(text: string): void;
  onFollowUp(text: string): void;
  refresh(): void;
  /** Called once if the component fails. */
  onFailure(error: unknown): void;
}

/**
 * An editor of an extension. One with `actionHandlers` gets every key and calls the functions for those of the session. Any other gets all keys
 * but those that clear, exit and suspend.
 */
export class ComponentEditor implements PromptSource {
  readonly #component: EditorComponent;
  readonly #options: ComponentEditorOptions;
  readonly #shown: ShownComponent;

  constructor(component: EditorComponent, options: ComponentEditorOptions) {
    this.#component = component;
    this.#options = options;
    this.#shown = new ShownComponent(component, {
      theme: options.theme,
      most: Number.POSITIVE_INFINITY,
      onFailure: options.onFailure,
    });
    component.focused = true;
    component.onSubmit = (text) => this.#submit(text, options.onSubmit);
    for (const prompt of options.history.list().slice(-maxHistory)) component.addToHistory?.(prompt);
    component.setAutocompleteProvider?.(options.completion);
    this.#connectActions();
  }

  get text(): string {
    return this.#component.getText();
  }

  get expandedText(): string {
    return this.#component.getExpandedText?.() ?? this.text;
  }

  /** Images have no place in such an editor. */
  setText(text: string): void {
    this.#component.setText(text);
  }

  prepend(prompts: readonly { text: string }[]): void {
    this.setText([...prompts.map(({ text }) => text), this.expandedText].filter((text) => text !== "").join("\n\n"));
  }

  paste(text: string): void {
    if (this.#component.insertTextAtCursor) this.#component.insertTextAtCursor(text);
    else this.#component.handleInput(toPaste(text));
  }

  clear(): void {
    this.setText("");
  }

  render(width: number): string[] {
    return this.#shown.lines(width);
  }

  handleKey(key: string): boolean {
    const action = this.#options.keys.sessionActionOf(key);
    const isForSession = action === "clear" || action === "suspend" || (action === "exit" && this.text === "");
    if (isForSession && !this.#component.actionHandlers) return false;
    this.#component.handleInput(key);
    return true;
  }

  setCompletion(completion: CompletionProvider): void {
    this.#component.setAutocompleteProvider?.(completion);
  }

  invalidate(): void {
    this.#shown.invalidate();
  }

  dispose(): void {
    this.#shown.dispose();
  }

  #connectActions(): void {
    const { press, takeShortcut, onFollowUp, refresh } = this.#options;
    const component = this.#component;
    if (!component.actionHandlers) return;
    for (const [name, action] of Object.entries(sessionActions)) {
      const act = action === "followUp" ? () => this.#submit(this.expandedText, onFollowUp) : () => press(action);
      component.actionHandlers.set(name, () => {
        act();
        refresh();
      });
    }
    component.onEscape = () => press("abort");
    component.onCtrlD = () => press("exit");
    component.onExtensionShortcut = takeShortcut;
  }

  #submit(text: string, send: (text: string) => void): void {
    const { history } = this.#options;
    const prompt = text.trim();
    if (prompt === "") return;
    this.setText("");
    history.add(prompt);
    this.#component.addToHistory?.(prompt);
    send(prompt);
  }
}
