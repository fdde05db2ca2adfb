import type { Attachment } from "@pikit/agent";
import { AttachmentList } from "./attachment-list.ts";
import { element, setText } from "./dom.ts";

export interface ComposerOptions {
  /** Sends a prompt. When it rejects, the text is put back. */
  onSend: (message: string, attachments: readonly Attachment[], during: "steer" | "followUp") => Promise<void>;
  onAbort: () => void;
  onError: (text: string) => void;
}

/** The prompt: its text, its attachments, and the buttons. */
export class Composer {
  readonly root: HTMLElement;
  readonly #options: ComposerOptions;
  readonly #field: HTMLTextAreaElement;
  readonly #attachments: AttachmentList;
  readonly #send: HTMLButtonElement;
  readonly #followUp: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #queue = element("p", { class: "queue dim", hidden: true });
  /** Resolves when all prompts before have been answered: they are sent in the order in which they were written. */
  #sent: Promise<void> = Promise.resolve();

  constructor(options: ComposerOptions) {
    this.#options = options;
    this.#attachments = new AttachmentList(options.onError);
    this.#field = element("textarea", {
      id: "prompt",
      rows: "1",
      placeholder: "Write a prompt …",
      "aria-label": "Prompt",
      onkeydown: (event) => this.#onKey(event as KeyboardEvent),
      onpaste: (event) => this.#onPaste(event as ClipboardEvent),
    });
    this.#send = element("button", { class: "main", onclick: () => this.#submit("steer") }, "Send");
    this.#followUp = element("button", { hidden: true, onclick: () => this.#submit("followUp") }, "After this");
    this.#stop = element("button", { hidden: true, onclick: options.onAbort, "aria-keyshortcuts": "Escape" }, "Stop");
    this.#followUp.title = "Send it when the run would end";
    this.root = element(
      "section",
      { class: "composer", "aria-label": "Prompt" },
      this.#queue,
      this.#attachments.root,
      this.#field,
      element(
        "div",
        { class: "row" },
        this.#createAttach(),
        element("span", { class: "space" }),
        this.#stop,
        this.#followUp,
        this.#send,
      ),
    );
  }

  /** Shows the state of the session. */
  update({ isStreaming, queued }: { isStreaming: boolean; queued: readonly string[] }): void {
    setText(this.#send, isStreaming ? "Steer" : "Send");
    this.#send.title = isStreaming ? "The model reads it before its next step" : "";
    this.#followUp.hidden = !isStreaming;
    this.#stop.hidden = !isStreaming;
    this.#queue.hidden = queued.length === 0;
    setText(this.#queue, queued.length === 0 ? "" : `Waiting: ${queued.join(" · ")}`);
  }

  focus(): void {
    this.#field.focus();
  }

  /** Puts a text into the field. */
  setText(text: string): void {
    this.#field.value = text;
  }

  /** Adds files, such as those that were dropped on the page. */
  async attach(files: Iterable<File>): Promise<void> {
    await this.#attachments.add(files);
  }

  #createAttach(): HTMLElement {
    const picker = element("input", {
      type: "file",
      multiple: true,
      hidden: true,
      "aria-label": "Files to attach",
      tabindex: "-1",
    });
    picker.addEventListener("change", () => {
      void this.attach([...(picker.files ?? [])]);
      picker.value = "";
    });
    const button = element("button", { type: "button", onclick: () => picker.click() }, "Attach");
    return element("span", {}, button, picker);
  }

  #onKey(event: KeyboardEvent): void {
    // On a phone, Enter is the only way to a new line. During the input of a character by several keys, it ends that character.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    this.#submit(event.altKey ? "followUp" : "steer");
  }

  #onPaste(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.attach(files);
  }

  #submit(during: "steer" | "followUp"): void {
    const text = this.#field.value;
    const { attachments } = this.#attachments;
    if (text.trim() === "" && attachments.length === 0) return;
    this.#field.value = "";
    this.#attachments.set([]);
    this.#sent = this.#sent.then(() => this.#sendPrompt(text, attachments, during));
  }

  async #sendPrompt(text: string, attachments: readonly Attachment[], during: "steer" | "followUp"): Promise<void> {
    try {
      await this.#options.onSend(text, attachments, during);
    } catch (error) {
      // A text that was written meanwhile stays, behind it.
      this.#field.value = [text, this.#field.value].filter((part) => part !== "").join("\n");
      this.#attachments.set([...attachments, ...this.#attachments.attachments]);
      this.#options.onError(error instanceof Error ? error.message : String(error));
    }
  }
}
