import { closeSync, readSync } from "node:fs";
import { openFileSync } from "@pikit/ai/files/sync";
import type { SessionEntry } from "./entries.ts";
import { tryParseEntry } from "./entry-check.ts";

/** Minimum bytes per read, because neighbouring entries are usually requested together. */
const windowSize = 128 * 1024;

const lineFeed = 0x0a;

/**
 * Reads single entries of a session file. The file stays open, so that they can be read even after it was deleted, moved or replaced.
 */
export class EntryReader {
  readonly #file: number;
  #window = Buffer.alloc(0);
  #windowOffset = 0;
  /** The requested bytes; the window is smaller at the end of the file. */
  #windowSize = 0;

  /** @throws {FileError} When the path is not a regular file. The system's error. */
  constructor(path: string) {
    this.#file = openFileSync(path).file;
  }

  /** The file descriptor, to read the whole file. */
  get file(): number {
    return this.#file;
  }

  /** Reads the entry whose line begins at `offset`, in bytes; undefined if the file has something else there. */
  read(id: string, offset: number): SessionEntry | undefined {
    const text = this.#lineAt(offset)?.toString("utf8");
    const entry = text === undefined ? undefined : tryParseEntry(text, (raw) => raw);
    return entry?.id === id ? entry : undefined;
  }

  /** Releases the buffer. */
  forget(): void {
    this.#window = Buffer.alloc(0);
  }

  close(): void {
    this.forget();
    closeSync(this.#file);
  }

  /** The line without its LF; undefined after the end of the file. The last line may have no LF. */
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
