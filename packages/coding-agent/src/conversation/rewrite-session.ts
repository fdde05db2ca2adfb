import { writeFileSync } from "node:fs";
import { replaceFileSync } from "@pikit/ai/files";
import { encodeLine } from "../protocol/jsonl.ts";
import { sessionVersion } from "./entries.ts";
import { type FileState, scanSession } from "./read-session.ts";
import type { SessionLine } from "./session-store.ts";

/** Bytes that are gathered before they are written. */
const batchSize = 1024 * 1024;

type Piece = string | Uint8Array;

/** Is told where each line begins, in bytes. */
export type OnPlaced = (line: SessionLine, offset: number) => void;

/** Writes a session file anew with these lines. Whatever happens, the path has its old content or all of the new. */
export function writeSession(path: string, lines: Iterable<SessionLine>, onPlaced: OnPlaced): FileState {
  let offset = 0;
  return replace(path, (write) => {
    for (const line of lines) {
      onPlaced(line, offset);
      offset += write(encodeLine(line));
    }
  });
}

/** Rewrites a session file in the current format, whatever older one it has. Lines that cannot be read are kept as they are. */
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

/** Only the holder of the session's lock writes it. */
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

  /** @returns Bytes added. */
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
