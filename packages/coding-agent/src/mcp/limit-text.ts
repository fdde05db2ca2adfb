import { defaultOutputLimits } from "../exec/output-limits.ts";
import { OutputSpool } from "../exec/output-spool.ts";
import { formatSize } from "../tools/output/truncate.ts";

/** As much of one result as is stored. */
const maxFileBytes = 64 * 1024 ** 2;

/** The beginning of a text, and where all of it is. */
export interface LimitedText {
  /** Ends with a note when something is left out. */
  text: string;
  truncated: boolean;
  /** Absolute path of a file with the whole text. */
  fullOutputPath?: string;
}

/**
 * Keeps the beginning of a text within the limits that all tools have, 2000 lines and 50 KB; the whole of a longer one goes to a file.
 * A line that alone is too long, as JSON often is, is cut.
 */
export async function limitText(text: string): Promise<LimitedText> {
  const kept = keepBeginning(text);
  if (kept.length === text.length) return { text, truncated: false };
  const spool = new OutputSpool({ onDrain() {}, maxBytes: maxFileBytes });
  spool.write(Buffer.from(text));
  spool.spill();
  const { path, error, isCut } = await spool.finish(true);
  const shown = `${formatSize(Buffer.byteLength(kept))} of ${formatSize(Buffer.byteLength(text))}`;
  const rest =
    path === undefined
      ? `The full output could not be saved: ${error ?? "no file"}.`
      : `${isCut ? "More of it" : "Full output"}: ${path}`;
  return {
    text: `${kept.trimEnd()}\n\n[Showing the first ${shown}. ${rest}]`,
    truncated: true,
    ...(path === undefined ? {} : { fullOutputPath: path }),
  };
}

function keepBeginning(text: string): string {
  const { maxLines, maxBytes } = defaultOutputLimits;
  let end = -1;
  for (let line = 0; line < maxLines; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) break;
  }
  const lines = end < 0 ? text : text.slice(0, end + 1);
  const bytes = Buffer.from(lines);
  if (bytes.length <= maxBytes) return lines;
  const cut = bytes.subarray(0, maxBytes);
  const lineEnd = cut.lastIndexOf(0x0a);
  // At the end of a line, unless that leaves out most of what may be shown.
  if (lineEnd >= maxBytes / 2) return cut.toString("utf8", 0, lineEnd + 1);
  return cut.toString("utf8").replace(/\uFFFD+$/, "");
}
