import { PlainEditor } from "../input/plain-editor.ts";
import { Input, matchesKey } from "../library.ts";
import { cut, cutLine, flow, titleLine, toSafeLine, toSafeLines } from "../lines.ts";
import type { Panel } from "../panel.ts";
import type { PanelStage } from "../stage.ts";
import type { Theme } from "../theme/theme.ts";
import { isCancel, renderInput } from "./keys.ts";
import { ScrolledText } from "./scrolled-text.ts";

export interface TextPanelOptions {
  theme: Theme;
  title: string;
  /** Shown above the line. */
  text?: string;
  placeholder?: string;
  value?: string;
  /** Whether the typed text is not shown, such as a key. Default false. */
  isSecret?: boolean;
  /** Called once, with the text; undefined for Esc. */
  onAnswer(text: string | undefined): void;
}

/** Maximum characters of a line. */
const maxLine = 20_000;
/** Maximum number of marks that stand for a secret. */
const maxMarks = 32;

/** A line of text to type. */
export class TextPanel implements Panel {
  readonly #options: TextPanelOptions;
  readonly #input = new Input();
  readonly #text: ScrolledText | undefined;

  constructor(options: TextPanelOptions) {
    this.#options = options;
    const { theme, text, value = "" } = options;
    this.#text = text === undefined ? undefined : new ScrolledText(theme, text);
    this.#input.focused = true;
    this.#input.setValue(toSafeLines(cut(value, maxLine)).join(" "));
    // The cursor goes to the end of the text.
    this.#input.handleInput("\u0005");
  }

  render(width: number, rows: number): string[] {
    const { theme, title, placeholder = "" } = this.#options;
    const above = this.#text?.render(width, Math.max(1, rows - 3)) ?? [];
    const keys =
      placeholder === "" || this.#input.getValue() !== ""
        ? "Enter accepts · Esc cancels"
        : `${toSafeLine(placeholder)} · Enter accepts`;
    return [titleLine(theme, toSafeLine(title), width), ...above, this.#line(width), theme.dim(cutLine(keys, width))];
  }

  handleKey(key: string): void {
    const { onAnswer } = this.#options;
    if (isCancel(key)) onAnswer(undefined);
    else if (matchesKey(key, "enter")) onAnswer(this.#input.getValue());
    else if (matchesKey(key, "pageUp") || matchesKey(key, "pageDown")) this.#text?.handleKey(key);
    else {
      this.#input.handleInput(key);
      if (this.#input.getValue().length > maxLine) this.#input.setValue(this.#input.getValue().slice(0, maxLine));
    }
  }

  #line(width: number): string {
    if (!this.#options.isSecret) return renderInput(this.#input, width);
    const { length } = this.#input.getValue();
    const marks = "•".repeat(Math.min(length, maxMarks, Math.max(0, width - 20)));
    return cutLine(`> ${marks}${length > 0 ? ` (${length} characters)` : ""}`, width);
  }
}

export interface EditorPanelOptions {
  theme: Theme;
  title: string;
  value?: string;
  refresh(): void;
  /** Called once, with the text; undefined for Esc. */
  onAnswer(text: string | undefined): void;
}

/** Maximum characters of the text that an editor begins with. */
const maxPrefill = 200_000;
/** The library's editor shows at most this part of the rows of the terminal. */
const editorShare = 0.3;

/** A text of several lines to type. */
export class EditorPanel implements Panel {
  readonly #options: EditorPanelOptions;
  readonly #editor: PlainEditor;
  /** The size of the terminal as the editor sees it. */
  readonly #terminal: { rows: number; refresh(): void };

  constructor(options: EditorPanelOptions) {
    this.#options = options;
    this.#terminal = { rows: 24, refresh: options.refresh };
    this.#editor = new PlainEditor(this.#terminal, options.theme);
    this.#editor.setText(cut(options.value ?? "", maxPrefill));
    this.#editor.onSubmit = (text) => options.onAnswer(text);
  }

  render(width: number, rows: number): string[] {
    const { theme, title } = this.#options;
    this.#terminal.rows = Math.ceil((rows - 2) / editorShare);
    const keys = flow(["Enter accepts", "Shift-Enter or Ctrl-J begins a line", "Esc cancels"], width);
    return [titleLine(theme, toSafeLine(title), width), ...this.#editor.renderRows(width).rows, ...keys.map(theme.dim)];
  }

  handleKey(key: string): void {
    if (isCancel(key)) this.#options.onAnswer(undefined);
    else this.#editor.handleInput(key);
  }
}

/** Asks for a line of text. Resolves with undefined if the user has closed the question. */
export function askForText(stage: PanelStage, options: Omit<TextPanelOptions, "theme" | "onAnswer">): Promise<string | undefined> {
  return new Promise((resolve) => {
    const close = stage.open(
      new TextPanel({
        ...options,
        theme: stage.theme,
        onAnswer(text) {
          close();
          resolve(text);
        },
      }),
    );
  });
}
