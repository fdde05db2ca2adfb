import { finishedLength, renderMarkdown } from "../../render/markdown.ts";
import { element, setHtml } from "./dom.ts";

/** A block of an answer. Its element stays while its content grows. */
export interface BlockView<T> {
  readonly root: HTMLElement;
  /** @param isComplete - Whether the block has ended. */
  update(block: T, isComplete: boolean): void;
}

/** A text of an answer. While it grows, only its last paragraph, list or code is rendered again. */
export class TextView implements BlockView<{ text: string }> {
  readonly root = element("div", { class: "text" });
  /** The element of the unfinished end. */
  #rest = this.root.appendChild(element("div"));
  /** The length of the text before the unfinished end. */
  #finished = 0;
  #shown = "";
  #isComplete = false;

  update({ text }: { text: string }, isComplete: boolean): void {
    if (text === this.#shown && isComplete === this.#isComplete) return;
    this.#shown = text;
    this.#isComplete = isComplete;
    if (isComplete) setHtml(this.root, renderMarkdown(text));
    else this.#grow(text);
  }

  #grow(text: string): void {
    const end = this.#finished + finishedLength(text.slice(this.#finished));
    if (end > this.#finished) {
      const piece = element("div");
      setHtml(piece, renderMarkdown(text.slice(this.#finished, end)));
      this.#rest.before(piece);
      this.#finished = end;
    }
    setHtml(this.#rest, renderMarkdown(text.slice(end)));
  }
}

/** The thinking of a model, folded. */
export class ThinkingView implements BlockView<{ thinking: string; redacted?: boolean | undefined }> {
  readonly root: HTMLElement;
  readonly #text = document.createTextNode("");
  readonly #summary = element("summary", {}, "Thinking");

  constructor() {
    this.root = element("details", { class: "thinking" }, this.#summary, element("pre", {}, this.#text));
  }

  update({ thinking, redacted }: { thinking: string; redacted?: boolean | undefined }, isComplete: boolean): void {
    this.#summary.textContent = isComplete ? "Thinking" : "Thinking …";
    appendTo(this.#text, redacted ? "(hidden by the provider)" : thinking);
  }
}

/** Shows a text that has grown: only what is new is added. */
function appendTo(node: Text, text: string): void {
  const { length } = node;
  if (text.length >= length && length > 0 && text.startsWith(node.data)) node.appendData(text.slice(length));
  else node.data = text;
}
