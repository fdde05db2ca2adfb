import { statSync } from "node:fs";
import { maxPrompts, readEnd } from "./history-end.ts";

/** Longer prompts are not stored. */
const maxPromptBytes = 64 * 1024;

/** A file with one prompt per line, `{"text": …, "timestamp": …}`, which several processes append to. */
export class HistoryFile {
  readonly #path: string;
  #known: { version: string; prompts: readonly string[] } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the prompts, the latest last; those of a missing or unreadable file are none. Damaged lines are skipped. */
  read(): readonly string[] {
    const version = versionOf(this.#path);
    if (version === undefined) return [];
    if (this.#known?.version !== version) this.#known = { version, prompts: readEnd(this.#path).prompts };
    return this.#known.prompts.slice(-maxPrompts);
  }

  /**
   * Appends a prompt, unless it is the latest one in the file, or longer than 64 KB.
   *
   * @throws {LockedError} When another process has held the lock of the file for 5 seconds. {FileError} When the path is not a regular file.
   *   The system's error.
   */
  async append(text: string): Promise<void> {
    const line = `${JSON.stringify({ text, timestamp: Date.now() })}\n`;
    if (Buffer.byteLength(line) > maxPromptBytes) return;
    const { appendPrompt } = await import("./append-prompt.ts");
    await appendPrompt(this.#path, text, line);
  }
}

/** Changes when the file changes. */
function versionOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return undefined; // missing, or not readable
  }
}
