import type { ImageContent } from "@pikit/ai";
import type { CompletionProvider } from "../../../terminal-interface.ts";
import type { TextWithImages } from "../input/attachments.ts";
import type { PromptEditor } from "../input/prompt-editor.ts";
import type { PromptSource } from "../input/prompt-source.ts";
import type { ComponentEditor } from "./component-editor.ts";

/** The editor in use: ours, or one of an extension, which takes over the text. */
export class EditorSlot implements PromptSource {
  readonly #own: PromptEditor;
  #other: ComponentEditor | undefined;

  constructor(own: PromptEditor) {
    this.#own = own;
  }

  /** Uses another editor; undefined: ours. */
  use(other: ComponentEditor | undefined): void {
    const text = this.expandedText;
    this.#other?.dispose();
    this.#other = other;
    this.setText(text);
  }

  get text(): string {
    return this.#current.text;
  }

  get expandedText(): string {
    return this.#current.expandedText;
  }

  setText(text: string, images?: readonly ImageContent[]): void {
    this.#current.setText(text, images);
  }

  prepend(prompts: readonly TextWithImages[]): void {
    this.#current.prepend(prompts);
  }

  paste(text: string): void {
    this.#current.paste(text);
  }

  clear(): void {
    this.#current.clear();
  }

  render(width: number): string[] {
    return this.#current.render(width);
  }

  handleKey(key: string): boolean {
    return this.#current.handleKey(key);
  }

  setCompletion(completion: CompletionProvider): void {
    this.#own.setCompletion(completion);
    this.#other?.setCompletion(completion);
  }

  invalidate(): void {
    this.#other?.invalidate();
  }

  get #current(): PromptSource {
    return this.#other ?? this.#own;
  }
}
