import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { formatSize, HeadCollector } from "../output/truncate.ts";
import type { FoundMatches } from "./matches.ts";
import { maxLineLength } from "./parameters.ts";

const { maxBytes } = defaultOutputLimits;

/** The result of a search for lines. */
export interface GrepDetails {
  /** The searched file or folder, absolute. */
  path: string;
  /** The shown matches: paths as in the text, 1-based line numbers. */
  files: { path: string; lines: number[] }[];
  /** The number of shown matches. */
  matches: number;
  /** The number of all matches; null if the search stopped at a limit. */
  totalMatches: number | null;
  /** Whether matches are missing in the text. */
  truncated: boolean;
  truncatedBy: "matches" | "bytes" | null;
  /** The number of shown lines that are cut. */
  cutLines: number;
  /** The number of files and folders that could not be read; 0 if the search stopped at a limit. */
  unreadable: number;
  outputLines: number;
  /** UTF-8 bytes. */
  outputBytes: number;
}

export interface RenderOptions {
  /** The searched file or folder, absolute. */
  path: string;
  /** Converts a path relative to the root to the path to show. */
  show(path: string): string;
  context: number;
  limit: number;
}

/** Formats matches as `path:line: text`, context as `path-line- text`, gaps as `--`, and adds notes about missing matches. */
export function renderMatches(found: FoundMatches, options: RenderOptions): { text: string; details: GrepDetails } {
  const head = new HeadCollector({ maxLines: Number.POSITIVE_INFINITY, maxBytes });
  const details: GrepDetails = {
    path: options.path,
    files: [],
    matches: 0,
    totalMatches: null,
    truncated: false,
    truncatedBy: found.truncatedBy,
    cutLines: 0,
    unreadable: found.truncatedBy === null ? found.unreadable : 0,
    outputLines: 0,
    outputBytes: 0,
  };
  addLines(found, options, { head, details });
  if (head.selection.truncatedBy !== null) details.truncatedBy = "bytes";
  details.truncated = details.truncatedBy !== null;
  details.totalMatches = details.truncated ? null : details.matches;
  details.outputLines = head.selection.lines.length;
  details.outputBytes = head.selection.bytes;
  const notes = describe(details, options.limit);
  const shown = details.outputLines > 0 ? head.selection.lines.join("\n") : "No matches found.";
  return { text: notes.length > 0 ? `${shown}\n\n[${notes.join(" ")}]` : shown, details };
}

function addLines(
  { files }: FoundMatches,
  { show, context }: RenderOptions,
  { head, details }: { head: HeadCollector; details: GrepDetails },
): void {
  for (const [index, { path, lines }] of files.entries()) {
    const shownPath = show(path);
    const shownMatches: number[] = [];
    let last = index === 0 ? undefined : Number.NEGATIVE_INFINITY;
    for (const { number, text, isCut, isMatch } of lines) {
      const isApart = context > 0 && last !== undefined && number !== last + 1;
      const line = isMatch ? `${shownPath}:${number}: ${text}` : `${shownPath}-${number}- ${text}`;
      if (!head.add(`${isApart ? "--\n" : ""}${line}${isCut ? " …" : ""}`)) return;
      last = number;
      if (isCut) details.cutLines++;
      if (!isMatch) continue;
      details.matches++;
      // Added here, so that a file is not listed if its first match does not fit.
      if (shownMatches.push(number) === 1) details.files.push({ path: shownPath, lines: shownMatches });
    }
  }
}

function describe({ truncatedBy, matches, cutLines, unreadable }: GrepDetails, limit: number): string[] {
  const notes: string[] = [];
  if (truncatedBy === "matches") {
    notes.push(
      `Stopped at the limit of ${limit} ${limit === 1 ? "match" : "matches"}. Narrow the search, or use limit=${2 * limit}.`,
    );
  }
  if (truncatedBy === "bytes")
    notes.push(`Stopped at the ${formatSize(maxBytes)} limit after ${matches} matches. Narrow the search.`);
  if (cutLines > 0) notes.push(`Lines that end with … are cut at ${maxLineLength} characters.`);
  if (unreadable > 0) notes.push(`${unreadable} ${unreadable === 1 ? "file or folder" : "files or folders"} could not be read.`);
  return notes;
}
