import { stripVTControlCharacters } from "node:util";
import { visibleWidth } from "../library.ts";

/** Made when it is needed: that takes 9 ms. */
let graphemes: Intl.Segmenter | undefined;

/** The number of rows that a line takes in a terminal with `columns` cells a row. A wide character that does not fit begins the next row. */
export function rowsOf(line: string, columns: number): number {
  if (visibleWidth(line) <= columns) return 1;
  let rows = 1;
  let used = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of graphemes.segment(stripVTControlCharacters(line))) {
    const width = visibleWidth(segment);
    if (used + width > columns) {
      rows += 1;
      used = 0;
    }
    used += width;
  }
  return rows;
}

/**
 * Whether the terminal moves the end of a long line to a row of its own when it becomes narrower, and joins them again when it becomes wider. Most
 * do. xterm, the Linux console and GNU screen cut the line off, so that it keeps its one row.
 */
export function reflowsLines(env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.TMUX !== undefined) return true;
  return env.XTERM_VERSION === undefined && env.STY === undefined && env.TERM !== "linux";
}
