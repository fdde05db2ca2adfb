import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { comparePaths } from "../search/name-order.ts";
import { maxLineLength } from "./parameters.ts";

const { maxBytes } = defaultOutputLimits;

export interface FoundLine {
  /** 1-based. */
  number: number;
  /** Without line end, cut at `maxLineLength`. */
  text: string;
  isCut: boolean;
  /** false for a context line. */
  isMatch: boolean;
}

export interface FoundFile {
  /** Relative to the root of the search, `/`-separated. */
  path: string;
  lines: FoundLine[];
}

export interface FoundMatches {
  files: FoundFile[];
  /** The limit at which the search stopped; null if it was complete. */
  truncatedBy: "matches" | "bytes" | null;
  /** The number of files and folders that could not be read. */
  unreadable: number;
}

/** Collects matching lines and their context up to the limits. Lines must be added in order, file by file. */
export class MatchCollector {
  readonly #limit: number;
  readonly #context: number;
  readonly #files: FoundFile[] = [];
  #matches = 0;
  #bytes = 0;
  #truncatedBy: FoundMatches["truncatedBy"] = null;

  /** @param limit - Maximum matches. `context`: lines around each match, also around the last one. */
  constructor({ limit, context }: { limit: number; context: number }) {
    this.#limit = limit;
    this.#context = context;
  }

  /** @returns Whether the search should continue. */
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

  /** Removes the lines of the last file, because it is binary. */
  drop(path: string): void {
    if (this.#truncatedBy !== null || this.#files.at(-1)?.path !== path) return;
    for (const { text, isMatch } of this.#files.pop()?.lines ?? []) {
      this.#bytes -= Buffer.byteLength(text) + 1;
      if (isMatch) this.#matches--;
    }
  }

  /** @param unreadable - The number of files and folders that could not be read. */
  end(unreadable: number): FoundMatches {
    const last = this.#files.at(-1);
    if (last) {
      // The match that exceeded the limit may have added its context lines before.
      const lastMatch = last.lines.findLast(({ isMatch }) => isMatch)?.number ?? Number.NEGATIVE_INFINITY;
      last.lines = last.lines.filter(({ number }) => number <= lastMatch + this.#context);
      if (last.lines.length === 0) this.#files.pop();
    }
    return { files: this.#files, truncatedBy: this.#truncatedBy, unreadable };
  }
}

/** Merges the results of searches in separate parts of a tree, each with the same limits. */
export function mergeMatches(parts: readonly FoundMatches[], limits: { limit: number; context: number }): FoundMatches {
  const collector = new MatchCollector(limits);
  const files = parts.flatMap((part) => part.files).sort((a, b) => comparePaths(a.path, b.path));
  for (const { path, lines } of files) for (const line of lines) collector.add(path, line);
  const unreadable = parts.reduce((sum, part) => sum + part.unreadable, 0);
  const merged = collector.end(unreadable);
  const truncatedBy = merged.truncatedBy ?? parts.find((part) => part.truncatedBy !== null)?.truncatedBy ?? null;
  return { ...merged, truncatedBy };
}

/** Removes a final CR and cuts a long line. */
export function toFoundLine(number: number, text: string, isMatch: boolean): FoundLine {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (line.length <= maxLineLength) return { number, text: line, isCut: false, isMatch };
  // Does not split a surrogate pair.
  const end = /[\ud800-\udbff]/.test(line[maxLineLength - 1] ?? "") ? maxLineLength - 1 : maxLineLength;
  return { number, text: line.slice(0, end), isCut: true, isMatch };
}
