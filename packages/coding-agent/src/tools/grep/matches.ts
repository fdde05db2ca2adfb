import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { comparePaths } from "../search/name-order.ts";
import { maxLineLength } from "./parameters.ts";

const { maxBytes } = defaultOutputLimits;

export interface FoundLine {
  /** 1-based. */
  number: number;
  /** Without its line end, cut at `maxLineLength`. */
  text: string;
  isCut: boolean;
  /** Else it is context. */
  isMatch: boolean;
}

export interface FoundFile {
  /** Relative to the root of the search, `/`-separated. */
  path: string;
  lines: FoundLine[];
}

export interface FoundMatches {
  files: FoundFile[];
  /** The limit at which the search stopped; null when it saw everything. */
  truncatedBy: "matches" | "bytes" | null;
  /** How many files and folders could not be read. */
  unreadable: number;
}

/** Gathers matching lines and their context up to the limits. Lines come in order, file after file. */
export class MatchCollector {
  readonly #limit: number;
  readonly #context: number;
  readonly #files: FoundFile[] = [];
  #matches = 0;
  #bytes = 0;
  #truncatedBy: FoundMatches["truncatedBy"] = null;

  /** @param limit - Most matches. `context` - lines around each, which are kept for the last one too. */
  constructor({ limit, context }: { limit: number; context: number }) {
    this.#limit = limit;
    this.#context = context;
  }

  /** @returns Whether more is wanted. */
  add(path: string, line: FoundLine): boolean {
    if (this.#truncatedBy !== null) return false;
    if (line.isMatch && this.#matches === this.#limit) this.#truncatedBy = "matches";
    else if (this.#bytes > maxBytes) this.#truncatedBy = "bytes";
    if (this.#truncatedBy !== null) return false;
    let file = this.#files.at(-1);
    if (file?.path !== path) {
      file = { path, lines: [] };
      this.#files.push(file);
    }
    file.lines.push(line);
    this.#bytes += Buffer.byteLength(line.text) + 1;
    if (line.isMatch) this.#matches++;
    return true;
  }

  /** Takes back the lines of the file that came last, which turned out to be binary. */
  drop(path: string): void {
    if (this.#truncatedBy !== null || this.#files.at(-1)?.path !== path) return;
    for (const { text, isMatch } of this.#files.pop()?.lines ?? []) {
      this.#bytes -= Buffer.byteLength(text) + 1;
      if (isMatch) this.#matches--;
    }
  }

  /** @param unreadable - How many files and folders could not be read. */
  end(unreadable: number): FoundMatches {
    const last = this.#files.at(-1);
    if (last) {
      // What stopped the search may have sent its own context ahead.
      const lastMatch = last.lines.findLast(({ isMatch }) => isMatch)?.number ?? Number.NEGATIVE_INFINITY;
      last.lines = last.lines.filter(({ number }) => number <= lastMatch + this.#context);
      if (last.lines.length === 0) this.#files.pop();
    }
    return { files: this.#files, truncatedBy: this.#truncatedBy, unreadable };
  }
}

/** One result from those of searches in separate parts of a tree, each within the same limits. */
export function mergeMatches(parts: readonly FoundMatches[], limits: { limit: number; context: number }): FoundMatches {
  const collector = new MatchCollector(limits);
  const files = parts.flatMap((part) => part.files).sort((a, b) => comparePaths(a.path, b.path));
  for (const { path, lines } of files) for (const line of lines) collector.add(path, line);
  const unreadable = parts.reduce((sum, part) => sum + part.unreadable, 0);
  const merged = collector.end(unreadable);
  const truncatedBy = merged.truncatedBy ?? parts.find((part) => part.truncatedBy !== null)?.truncatedBy ?? null;
  return { ...merged, truncatedBy };
}

/** A line as it is kept. */
export function toFoundLine(number: number, text: string, isMatch: boolean): FoundLine {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (line.length <= maxLineLength) return { number, text: line, isCut: false, isMatch };
  // Not through the middle of a character.
  const end = /[\ud800-\udbff]/.test(line[maxLineLength - 1] ?? "") ? maxLineLength - 1 : maxLineLength;
  return { number, text: line.slice(0, end), isCut: true, isMatch };
}
