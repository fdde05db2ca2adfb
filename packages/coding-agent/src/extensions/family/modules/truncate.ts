import { defaultOutputLimits, type OutputLimits } from "../../../exec/output-limits.ts";

/** A text that was shortened to whole lines, with numbers about it. Bytes are those of UTF-8. */
interface Truncated {
  content: string;
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** Whether the first line of a tail is only the end of a line. */
  lastLinePartial: boolean;
  /** Whether a head is empty, because its first line is longer than the limit. */
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/** Keeps the first lines of a text within both limits. Default: 2000 lines and 50 KB. */
export function truncateHead(content: string, options: Partial<OutputLimits> = {}): Truncated {
  const { lines, ...facts } = measure(content, options);
  if (facts.totalLines <= facts.maxLines && facts.totalBytes <= facts.maxBytes) return whole(content, facts);
  const { count, bytes, truncatedBy } = fit(lines, facts);
  const firstLineExceedsLimit = count === 0 && truncatedBy === "bytes";
  return result(lines.slice(0, count).join("\n"), {
    ...facts,
    truncatedBy,
    outputLines: count,
    outputBytes: bytes,
    firstLineExceedsLimit,
  });
}

/** Keeps the last lines of a text within both limits. If the last line alone is longer, keeps its end. */
export function truncateTail(content: string, options: Partial<OutputLimits> = {}): Truncated {
  const { lines, ...facts } = measure(content, options);
  if (facts.totalLines <= facts.maxLines && facts.totalBytes <= facts.maxBytes) return whole(content, facts);
  const { count, bytes, truncatedBy } = fit(lines.toReversed(), facts);
  if (count > 0 || truncatedBy === "lines")
    return result(lines.slice(lines.length - count).join("\n"), { ...facts, truncatedBy, outputLines: count, outputBytes: bytes });
  const end = endOf(lines.at(-1) ?? "", facts.maxBytes);
  const outputBytes = Buffer.byteLength(end);
  return result(end, { ...facts, truncatedBy, outputLines: 1, outputBytes, lastLinePartial: true });
}

/** Shortens one line to `maxChars` characters, with a note at its end. Default: 500. */
export function truncateLine(line: string, maxChars = 500): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "")}... [truncated]`, wasTruncated: true };
}

type Facts = Pick<Truncated, "totalLines" | "totalBytes" | "maxLines" | "maxBytes">;

function measure(
  content: string,
  { maxLines = defaultOutputLimits.maxLines, maxBytes = defaultOutputLimits.maxBytes }: Partial<OutputLimits>,
): Facts & { lines: string[] } {
  const lines = content.split("\n");
  // A line feed at the end ends the last line and begins no other.
  if (lines.at(-1) === "") lines.pop();
  return { lines, totalLines: lines.length, totalBytes: Buffer.byteLength(content), maxLines, maxBytes };
}

/** Counts the first lines that fit. */
function fit(lines: readonly string[], { maxLines, maxBytes }: Facts) {
  let bytes = 0;
  for (const [count, line] of lines.entries()) {
    const next = bytes + Buffer.byteLength(line) + (count > 0 ? 1 : 0);
    if (count >= maxLines) return { count, bytes, truncatedBy: "lines" as const };
    if (next > maxBytes) return { count, bytes, truncatedBy: "bytes" as const };
    bytes = next;
  }
  return { count: lines.length, bytes, truncatedBy: "bytes" as const };
}

/** The end of a text, at most `maxBytes` long, without a part of a character. */
function endOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - maxBytes);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString("utf8");
}

function whole(content: string, facts: Facts): Truncated {
  const kept = { outputLines: facts.totalLines, outputBytes: facts.totalBytes };
  return { ...result(content, { ...facts, ...kept, truncatedBy: null }), truncated: false };
}

function result(
  content: string,
  facts: Facts & Pick<Truncated, "truncatedBy" | "outputLines" | "outputBytes"> & Partial<Truncated>,
): Truncated {
  return { lastLinePartial: false, firstLineExceedsLimit: false, ...facts, content, truncated: true };
}
