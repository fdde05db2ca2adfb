import { truncateToWidth } from "../library.ts";

/** The parts of the live region, from top to bottom; see `renderLiveRegion`. */
export interface LiveParts {
  /** Renders the lines of the conversation that may still change, at most `most`. */
  conversation(width: number, most: number): readonly string[];
  /** Lines of extensions above the editor. */
  above: readonly string[];
  /** The line about the work, and the queued messages. */
  work: readonly string[];
  /** The status line, or lines of an extension in its place. */
  status: readonly string[];
  /** Renders the editor, or a panel in its place. */
  input(width: number, rows: number): readonly string[];
  /** Lines of extensions below the editor. */
  below: readonly string[];
}

/** The share of the rows that the changing part of the conversation takes at most: a terminal that becomes lower must not push it out. */
const conversationShare = 0.4;
const fewestRows = 3;

/** The lines of the live region: what streams, what is going on, the status line, the editor. At most `rows` lines. */
export function renderLiveRegion(parts: LiveParts, width: number, rows: number): string[] {
  const fit = (line: string) => truncateToWidth(line, width);
  // The status is above the editor: a terminal made of xterm.js, such as that of VS Code, loses count of the rows when it becomes narrower and
  // a line below the cursor is wrapped.
  const above = [...parts.above.map(fit), ...parts.work, ...parts.status];
  const below = parts.below.map(fit);
  // An empty line, and one row of the terminal stays free.
  const free = Math.max(1, rows - above.length - below.length - 2);
  const input = parts.input(width, free).slice(-free);
  const room = Math.max(0, free - input.length - 1);
  const most = Math.min(room, Math.max(fewestRows, Math.floor(rows * conversationShare)));
  const conversation = most > 0 ? parts.conversation(width, most) : [];
  return [...conversation, "", ...above, ...input, ...below];
}
