import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { formatSize, HeadCollector } from "../output/truncate.ts";

const { maxBytes } = defaultOutputLimits;

/** What of a list of paths is shown. */
export interface PathListDetails {
  /** Absolute: the folder that was searched or listed. */
  path: string;
  /** How many entries are shown. */
  outputEntries: number;
  /** How many there are; null when the search stopped at a limit. */
  totalEntries: number | null;
  /** Whether there are more than are shown. */
  truncated: boolean;
  truncatedBy: "entries" | "bytes" | null;
  /** Folders that could not be read; counted only when the search was not stopped by a limit. */
  unreadable: number;
  /** UTF-8 bytes. */
  outputBytes: number;
}

export interface PathList {
  /** Absolute: the folder that was searched or listed. */
  path: string;
  /** No more than `limit`. */
  entries: readonly string[];
  /** How many there are in all; null when that is unknown, and then there are more. */
  total: number | null;
  limit: number;
  unreadable: number;
  /** What to say when there are none. */
  emptyText: string;
}

/** One entry a line, and notes on what is missing. */
export function renderPaths({ path, entries, total, limit, unreadable, emptyText }: PathList): {
  text: string;
  details: PathListDetails;
} {
  const head = new HeadCollector({ maxLines: Number.POSITIVE_INFINITY, maxBytes });
  for (const entry of entries) if (!head.add(entry)) break;
  const { lines, bytes, truncatedBy } = head.selection;
  const isStopped = total === null || total > entries.length;
  const details: PathListDetails = {
    path,
    outputEntries: lines.length,
    totalEntries: total,
    truncated: truncatedBy !== null || isStopped,
    truncatedBy: truncatedBy !== null ? "bytes" : isStopped ? "entries" : null,
    unreadable: isStopped ? 0 : unreadable,
    outputBytes: bytes,
  };
  const notes = describe(details, limit);
  const shown = lines.length > 0 ? lines.join("\n") : emptyText;
  return { text: notes.length > 0 ? `${shown}\n\n[${notes.join(" ")}]` : shown, details };
}

function describe({ outputEntries, totalEntries, truncatedBy, unreadable }: PathListDetails, limit: number): string[] {
  const notes: string[] = [];
  const shown = `Showing ${outputEntries}${totalEntries === null ? "" : ` of ${totalEntries}`} ${outputEntries === 1 ? "entry" : "entries"}`;
  if (truncatedBy === "entries") notes.push(`${shown}, the limit. Narrow the search, or use limit=${2 * limit}.`);
  if (truncatedBy === "bytes") notes.push(`${shown} (${formatSize(maxBytes)} limit). Narrow the search.`);
  if (unreadable > 0) notes.push(`${unreadable} ${unreadable === 1 ? "folder" : "folders"} could not be read.`);
  return notes;
}
