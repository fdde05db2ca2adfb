import { closeSync, readSync } from "node:fs";
import { openFileSync } from "@pikit/ai/files/sync";
import type { SessionEntry } from "./entries.ts";
import { tryParseEntry } from "./entry-check.ts";

/** Bytes that are read at least: entries that follow each other are mostly asked for together. */
const windowSize = 128 * 1024;

const lineFeed = 0x0a;

/**
 * Reads single entries of a session file that stays open, so that they can still be read when the file has been deleted, moved or
 * replaced.
 */
export class EntryReader {
  readonly #file: number;
  #window = Buffer.alloc(0);
  #windowOffset = 0;
  /** Bytes that were asked for; the window has fewer at the end of the file. */
  #windowSize = 0;

  /** @throws {FileError} When it is no regular file. The system's error. */
  constructor(path: string) {
    this.#file = openFileSync(path).file;
  }

  /** The file, for reading it as a whole. */
  get file(): number {
    return this.#file;
  }

  /** The entry whose line begins at that byte; undefined when something else is there by now. */
  read(id: string, offset: number): SessionEntry | undefined {
    const text = this.#lineAt(offset)?.toString("utf8");
    const entry = text === undefined ? undefined : tryParseEntry(text, (raw) => raw);
    return entry?.id === id ? entry : undefined;
  }

  /** Lets go of what was read ahead. */
  forget(): void {
    this.#window = Buffer.alloc(0);
  }

  close(): void {
    this.forget();
    closeSync(this.#file);
  }

  /** The line without its LF, also when it has none; undefined behind the end of the file. */
  #lineAt(offset: number): Buffer | undefined {
    for (let size = windowSize; ; size *= 4) {
      const start = offset - this.#windowOffset;
      const isInside = start >= 0 && start < this.#window.length;
      const end = isInside ? this.#window.indexOf(lineFeed, start) : -1;
      if (end >= 0) return this.#window.subarray(start, end);
      if (isInside && start === 0 && this.#window.length < this.#windowSize) return this.#window;
      this.#fill(offset, size);
      if (this.#window.length === 0) return undefined;
    }
  }

  #fill(offset: number, size: number): void {
    const buffer = Buffer.allocUnsafeSlow(size);
    let filled = 0;
    while (filled < size) {
      const length = readSync(this.#file, buffer, filled, size - filled, offset + filled);
      if (length === 0) break;
      filled += length;
    }
    this.#window = buffer.subarray(0, filled);
    this.#windowOffset = offset;
    this.#windowSize = size;
  }
}
