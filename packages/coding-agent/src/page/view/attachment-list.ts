import type { Attachment } from "@pikit/agent";
import { maxAttachments, refuseFile, toAttachment } from "../model/attachments.ts";
import { element } from "./dom.ts";

/** The attachments of the next prompt. */
export class AttachmentList {
  readonly root = element("ul", { class: "attachments", "aria-label": "Attachments", hidden: true });
  readonly #onError: (text: string) => void;
  #attachments: Attachment[] = [];

  constructor(onError: (text: string) => void) {
    this.#onError = onError;
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  /** Reads files and adds them. Files that cannot be attached are reported. */
  async add(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      const reason =
        this.#attachments.length >= maxAttachments ? `At most ${maxAttachments} files can be attached.` : refuseFile(file);
      if (reason !== undefined) this.#onError(reason);
      else {
        try {
          this.#attachments.push(toAttachment(file, await readBase64(file)));
        } catch (error) {
          this.#onError(`${file.name} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    }
    this.#show();
  }

  /** Replaces all attachments. */
  set(attachments: readonly Attachment[]): void {
    this.#attachments = [...attachments];
    this.#show();
  }

  #show(): void {
    this.root.hidden = this.#attachments.length === 0;
    this.root.replaceChildren(
      ...this.#attachments.map((attachment) => {
        const remove = () => this.set(this.#attachments.filter((each) => each !== attachment));
        const { fileName, type, mimeType, content } = attachment;
        const preview = type === "image" ? element("img", { alt: "", src: `data:${mimeType};base64,${content}` }) : undefined;
        const button = element("button", { type: "button", "aria-label": `Remove ${fileName}`, onclick: remove }, "×");
        return element("li", {}, preview, element("span", {}, fileName), button);
      }),
    );
  }
}

async function readBase64(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error ?? new Error("unknown error"));
  reader.readAsDataURL(file);
  const url = await promise;
  return url.slice(url.indexOf(",") + 1);
}
