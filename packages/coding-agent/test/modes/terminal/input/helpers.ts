import type { ImageContent } from "@pikit/ai";
import { readKeys } from "../../../../src/modes/terminal/input/keys.ts";
import { PromptEditor, type PromptEditorOptions } from "../../../../src/modes/terminal/input/prompt-editor.ts";
import { CURSOR_MARKER } from "../../../../src/modes/terminal/library.ts";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";
import type { Theme } from "../../../../src/modes/terminal/theme/theme.ts";

/** A theme that shows the names of three styles. */
export const theme = {
  ...createTheme({ colors: 0, isLight: false }),
  dim: (text: string) => (text === "" ? "" : `<dim>${text}</dim>`),
  accent: (text: string) => `<accent>${text}</accent>`,
  warning: (text: string) => `<warning>${text}</warning>`,
};

export const plainTheme: Theme = createTheme({ colors: 0, isLight: false });

/** Keys as terminals send them. */
export const key = {
  enter: "\r",
  altEnter: "\x1b\r",
  shiftEnter: "\x1b[13;2u",
  ctrlJ: "\n",
  up: "\x1b[A",
  down: "\x1b[B",
  left: "\x1b[D",
  right: "\x1b[C",
  home: "\x1b[H",
  escape: "\x1b",
  tab: "\t",
  backspace: "\x7f",
  undo: "\x1f",
} as const;

export const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

export const ctrl = (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96);

/** An editor, the prompts that it has sent, and the calls of `refresh`. */
export class TestEditor {
  readonly sent: [kind: "submit" | "followUp", text: string, images: readonly ImageContent[]][] = [];
  readonly editor: PromptEditor;
  refreshes = 0;
  rows = 24;
  #onSent: (() => void) | undefined;
  #onRefresh: (() => void) | undefined;

  constructor(options: Partial<PromptEditorOptions> = {}) {
    const stage = {
      refresh: () => {
        this.refreshes += 1;
        this.#onRefresh?.();
      },
      rows: this.rows,
    };
    const record = (kind: "submit" | "followUp") => (text: string, images: readonly ImageContent[]) => {
      this.sent.push([kind, text, images]);
      this.#onSent?.();
    };
    this.editor = new PromptEditor({
      theme: plainTheme,
      stage,
      keys: readKeys().bindings,
      onSubmit: record("submit"),
      onFollowUp: record("followUp"),
      ...options,
    });
  }

  /** Types keys. Returns whether the editor has taken the last one. */
  press(...keys: string[]): boolean {
    return keys.map((each) => this.editor.handleKey(each)).at(-1) ?? false;
  }

  /** Types a text, character by character. */
  type(text: string): void {
    for (const character of text) this.press(character);
  }

  /** The lines; `|` is the cursor. */
  lines(width = 40): string[] {
    return this.editor.render(width).map((line) => line.replaceAll(CURSOR_MARKER, "|"));
  }

  /** The texts that were sent. */
  get texts(): string[] {
    return this.sent.map(([, text]) => text);
  }

  /** Resolves when this number of prompts was sent. */
  async sentAtLeast(count: number): Promise<void> {
    while (this.sent.length < count) await new Promise<void>((resolve) => (this.#onSent = resolve));
  }

  /** Resolves when `isThere` is true. It is asked with each refresh. */
  async shown(isThere: () => boolean): Promise<void> {
    while (!isThere()) await new Promise<void>((resolve) => (this.#onRefresh = resolve));
  }
}
