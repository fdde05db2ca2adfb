import { defaultOutputLimits, type OutputLimits } from "../../exec/output-limits.ts";

/** The beginning of a list of lines, within limits. */
export interface HeadSelection {
  /** The complete lines that fit. Empty if the first line alone exceeds the byte limit. */
  lines: string[];
  /** The limit that was reached; null if all lines fit. */
  truncatedBy: "lines" | "bytes" | null;
  /** UTF-8 bytes of `lines` joined by LF. */
  bytes: number;
}

/** Collects lines from the beginning of a text, up to the limits. */
export class HeadCollector {
  readonly #limits: OutputLimits;
  readonly selection: HeadSelection = { lines: [], truncatedBy: null, bytes: 0 };

  /** @param limits - Default: 2000 lines and 50 KB. */
  constructor(limits: OutputLimits = defaultOutputLimits) {
    this.#limits = limits;
  }

  /** @returns Whether the line was added. After a line that does not fit, no line is added. */
  add(line: string): boolean {
    const { selection } = this;
    if (selection.truncatedBy !== null) return false;
    const bytes = selection.bytes + Buffer.byteLength(line) + (selection.lines.length > 0 ? 1 : 0);
    if (selection.lines.length === this.#limits.maxLines) selection.truncatedBy = "lines";
    else if (bytes > this.#limits.maxBytes) selection.truncatedBy = "bytes";
    else {
      selection.lines.push(line);
      selection.bytes = bytes;
      return true;
    }
    return false;
  }
}

/** Formats a number of bytes: `512 B`, `50.0 KB`, `1.2 GB`. Units are powers of 1024. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let size = bytes;
  let unit = "B";
  for (const next of ["KB", "MB", "GB", "TB"]) {
    if (size < 1024) break;
    size /= 1024;
    unit = next;
  }
  return `${size.toFixed(1)} ${unit}`;
}
