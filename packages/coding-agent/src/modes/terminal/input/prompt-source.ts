import type { ImageContent } from "@pikit/ai";
import type { TextWithImages } from "./attachments.ts";

/** The editor for prompts as the mode uses it. */
export interface PromptSource {
  /** The text as it is shown, with markers for pasted texts. */
  readonly text: string;
  /** The text with pasted texts in place of their markers. */
  readonly expandedText: string;
  /** Replaces the text; see `PromptEditor`. */
  setText(text: string, images?: readonly ImageContent[]): void;
  /** Puts prompts above the text. */
  prepend(prompts: readonly TextWithImages[]): void;
  /** Inserts a text at the cursor, as if it was pasted. */
  paste(text: string): void;
  clear(): void;
  render(width: number): string[];
  /** Takes a key. Returns false if it is for the session. */
  handleKey(key: string): boolean;
}
