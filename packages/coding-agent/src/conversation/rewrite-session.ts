import { writeFileSync } from "node:fs";
import { replaceFileSync } from "@pikit/ai/files";
import { encodeLine } from "../protocol/jsonl.ts";
import { sessionVersion } from "./entries.ts";
import { type FileState, scanSession } from "./read-session.ts";
import type { SessionLine } from "./session-store.ts";

/** Bytes to collect before a write. */
const batchSize = 1024 * 1024;

type Piece = string | Uint8Array;

/** Called with the offset of each line, in bytes. */
export type OnPlaced = (line: SessionLine, offset: number) => void;

/** Replaces a session file atomically with these lines. */
export function writeSession(path: string, lines: Iterable<SessionLine>, onPlaced: OnPlaced): FileState {
  let offset = 0;
  return replace(path, (write) => {
    for (const line of lines) {
      onPlaced(line, offset);
      offset += write(encodeLine(line));
    }
  });
}

/** Rewrites a session file of an older format in the current format. Unreadable lines are kept unchanged. */
export function migrateSessionFile(path: string): FileState {
  return replace(path, (write) => {
    scanSession(path, {
      onHeader: (header) => void write(encodeLine(header)),
      onEntry: (entry) => void write(encodeLine(entry)),
      onUnreadable: (bytes) => {
        write(Buffer.from(bytes));
        write("\n");
      },
    });
  });
}

/** The caller must hold the session's lock. */
function replace(path: string, produce: (write: (piece: Piece) => number) => void): FileState {
  const { dev, ino, size } = replaceFileSync(path, (file) => {
    const batch = new Batch(file);
    produce((piece) => batch.add(piece));
    batch.flush();
  });
  return { dev, ino, size, endsWithinLine: false, version: sessionVersion };
}

class Batch {
  readonly #file: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(file: number) {
    this.#file = file;
  }

  /** @returns The number of added bytes. */
  add(piece: Piece): number {
    const bytes = Buffer.from(piece);
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= batchSize) this.flush();
    return bytes.length;
  }

  flush(): void {
    if (this.#size > 0) writeFileSync(this.#file, Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#size = 0;
  }
}
