import { defaultOutputLimits } from "../exec/output-limits.ts";
import { OutputSpool } from "../exec/output-spool.ts";
import { formatSize } from "../tools/output/truncate.ts";

/** Maximum bytes of a result to store. */
const maxFileBytes = 64 * 1024 ** 2;

/** The beginning of a text, and the file with the whole text. */
export interface LimitedText {
  /** Ends with a note if the text was cut. */
  text: string;
  truncated: boolean;
  /** Absolute path of a file with the whole text. */
  fullOutputPath?: string;
}

/**
 * Keeps the beginning of a text within the limits of all tools, 2000 lines and 50 KB; a longer text is stored in a file. A single line that is
 * too long, such as JSON, is cut.
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
  // Cuts at a line end, unless that would drop more than half.
  if (lineEnd >= maxBytes / 2) return cut.toString("utf8", 0, lineEnd + 1);
  return cut.toString("utf8").replace(/\uFFFD+$/, "");
}
