import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { formatSize, HeadCollector } from "../output/truncate.ts";

const { maxBytes } = defaultOutputLimits;

/** Details of a list of paths. */
export interface PathListDetails {
  /** The searched or listed folder, absolute. */
  path: string;
  /** The number of shown entries. */
  outputEntries: number;
  /** The number of all entries; null if the search stopped at a limit. */
  totalEntries: number | null;
  /** Whether entries are missing in the text. */
  truncated: boolean;
  truncatedBy: "entries" | "bytes" | null;
  /** The number of folders that could not be read; 0 if the search stopped at a limit. */
  unreadable: number;
  /** UTF-8 bytes. */
  outputBytes: number;
}

export interface PathList {
  /** The searched or listed folder, absolute. */
  path: string;
  /** At most `limit` entries. */
  entries: readonly string[];
  /** The number of all entries; null if there are more but their number is unknown. */
  total: number | null;
  limit: number;
  unreadable: number;
  /** The text for an empty list. */
  emptyText: string;
}

/** Formats entries, one per line, and adds notes about missing ones. */
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
