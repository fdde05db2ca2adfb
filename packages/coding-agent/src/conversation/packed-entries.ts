import { inflateRawSync } from "node:zlib";
import type { SessionEntry } from "./entries.ts";

/** The place of a packed entry. */
export class PackedEntry {
  /** Lines of JSON, deflated. */
  readonly portion: Uint8Array;
  /** The line of the entry in its portion, counted from 0. */
  readonly line: number;

  constructor(portion: Uint8Array, line: number) {
    this.portion = portion;
    this.line = line;
  }
}

/** Reads packed entries. Consecutive entries of one portion are unpacked together. */
export class EntryUnpacker {
  #portion: Uint8Array | undefined;
  #lines: string[] = [];

  read({ portion, line }: PackedEntry): SessionEntry {
    if (portion !== this.#portion) {
      this.#portion = portion;
      this.#lines = inflateRawSync(portion).toString("utf8").split("\n");
    }
    return JSON.parse(this.#lines[line] ?? "");
  }
}
