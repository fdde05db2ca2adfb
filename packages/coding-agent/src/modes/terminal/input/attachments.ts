import { basename } from "node:path";
import type { ImageContent } from "@pikit/ai";
import { fileLimits, readWhole, reasonOf } from "@pikit/ai/files";
import type { ClipboardImage } from "./clipboard-image.ts";

export interface AttachmentsOptions {
  /** Called with a line for the user. */
  note(text: string, kind: "warning"): void;
  /** Reads the clipboard. */
  readClipboard(): Promise<ClipboardImage>;
}

/** A text with markers such as `[image 1]`, and the images in the order of the markers. */
export interface TextWithImages {
  text: string;
  images: ImageContent[];
}

/** Maximum number of images of one prompt. */
const maxImages = 20;
const markerPattern = /\[image (\d+)\]/g;
const spacedMarkerPattern = / ?\[image \d+\]/g;

interface Attachment {
  /** In place of the marker if the image cannot be attached. */
  name: string;
  image: Promise<ImageContent | undefined>;
}

/** The images of the prompt that is being typed. Each has a marker in the text; an image whose marker is deleted is not sent. */
export class Attachments {
  readonly #options: AttachmentsOptions;
  /** By their numbers in the markers, from 1. */
  #attachments: Attachment[] = [];

  constructor(options: AttachmentsOptions) {
    this.#options = options;
  }

  /** Adds the images of files and returns their markers, with a space between them; undefined if there are too many. */
  addFiles(paths: readonly string[]): string | undefined {
    if (this.#isFull(paths.length)) return undefined;
    const markers = paths.map((path) => this.#add(path, () => readWhole(path, fileLimits.image)));
    return markers.join(" ");
  }

  /** Adds the image of the clipboard and returns its marker; undefined, after a note, if there is none. Never rejects. */
  async addFromClipboard(): Promise<string | undefined> {
    const found = await this.#options.readClipboard();
    if ("problem" in found) this.#options.note(found.problem, "warning");
    if ("problem" in found || this.#isFull(1)) return undefined;
    return this.#add("the image of the clipboard", async () => found.bytes);
  }

  /** Replaces all images by those of a text that is edited again. Returns the text, with a marker for each image. */
  replace({ text, images }: TextWithImages): string {
    this.#attachments = images.map((image, index) => ({ name: `image ${index + 1}`, image: Promise.resolve(image) }));
    const missing = images.map((_, index) => markerOf(index + 1)).filter((marker) => !text.includes(marker));
    return [text, ...missing].filter((part) => part !== "").join(" ");
  }

  /** Adds the images of a text that is edited again to those that are there. Returns the text with the new numbers in its markers. */
  add({ text, images }: TextWithImages): string {
    if (images.length === 0) return text;
    const before = this.#attachments.length;
    const isFull = this.#isFull(images.length);
    const added = isFull ? [] : images.map((_, index) => markerOf(before + index + 1));
    this.#attachments.push(...added.map((name, index) => ({ name, image: Promise.resolve(images[index]) })));
    // Without its image, a marker would stand for another one.
    const renumbered = text.replace(markerPattern, (marker, number) =>
      Number(number) > images.length ? marker : (added[Number(number) - 1] ?? ""),
    );
    return [renumbered.trim(), ...added.filter((marker) => !renumbered.includes(marker))].filter((part) => part !== "").join(" ");
  }

  /** Whether a text has markers of images. */
  areIn(text: string): boolean {
    return this.#attachments.length > 0 && this.#numbersIn(text).length > 0;
  }

  /** Removes the markers, for the history, which has no images. */
  removeFrom(text: string): string {
    const markers = new Set(this.#numbersIn(text).map(markerOf));
    return text.replace(spacedMarkerPattern, (marker) => (markers.has(marker.trim()) ? "" : marker)).trim();
  }

  /**
   * Takes the images of a submitted text, and starts again without images. The markers get the numbers 1, 2, … in the order of the text. Never
   * rejects.
   */
  async take(text: string): Promise<TextWithImages> {
    const taken = this.#attachments;
    const numbers = this.#numbersIn(text);
    this.#attachments = [];
    const images: ImageContent[] = [];
    const replacements = new Map<string, string>();
    for (const number of numbers) {
      const { name, image } = taken[number - 1] ?? { name: "", image: undefined };
      const content = await image;
      if (content) images.push(content);
      replacements.set(markerOf(number), content ? markerOf(images.length) : name);
    }
    return { text: text.replace(markerPattern, (marker) => replacements.get(marker) ?? marker), images };
  }

  /** The numbers of the attachments in a text, in its order, each once. */
  #numbersIn(text: string): number[] {
    const numbers = [...text.matchAll(markerPattern)].map(([, number]) => Number(number));
    return [...new Set(numbers)].filter((number) => number >= 1 && number <= this.#attachments.length);
  }

  #isFull(more: number): boolean {
    const isFull = this.#attachments.length + more > maxImages;
    if (isFull) this.#options.note(`A prompt can have ${maxImages} images at most.`, "warning");
    return isFull;
  }

  #add(name: string, read: () => Promise<Buffer>): string {
    const marker = markerOf(this.#attachments.length + 1);
    const image = prepare(read).then((result) => {
      if ("image" in result) return result.image;
      this.#options.note(`${marker} (${basename(name)}) cannot be attached: ${result.problem}.`, "warning");
      return undefined;
    });
    this.#attachments.push({ name, image });
    return marker;
  }
}

function markerOf(number: number): string {
  return `[image ${number}]`;
}

/** Reads an image and makes it acceptable for all providers. */
async function prepare(read: () => Promise<Buffer>): Promise<{ image: ImageContent } | { problem: string }> {
  try {
    const bytes = await read();
    const { prepareImage } = await import("../../../tools/images/prepare-image.ts");
    const { image, description } = await prepareImage(bytes);
    return image ? { image } : { problem: description };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}
