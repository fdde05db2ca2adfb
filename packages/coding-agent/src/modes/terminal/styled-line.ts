import { CURSOR_MARKER } from "./library.ts";

/** The sequences that a line may have: styles, links, and the mark of the cursor. All others, and control characters, are removed. */
const sequencePattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /(\x1b\[[\d;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)|\x1b_pi:c\x07)|\x1b\[[^@-~]*[@-~]?|\x1b[\]_P^X][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?|[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const controlPattern = /[\x00-\x1f\x7f-\x9f]/;
/** The cursor that components of the library draw themselves, behind the mark. The cursor of the terminal stands there. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const drawnCursorPattern = /\x1b_pi:c\x07\x1b\[7m(.*?)\x1b\[(?:0|27)?m/g;

/**
 * Makes a line of an extension safe for the screen: of its sequences, styles, links and the mark of the cursor stay; control characters are
 * removed. A tab becomes four spaces. The styles may be open at the end.
 */
export function cleanStyled(line: string): string {
  if (!controlPattern.test(line)) return line;
  return line
    .replaceAll("\t", "    ")
    .replace(sequencePattern, (_all, allowed: string | undefined) => allowed ?? "")
    .replace(drawnCursorPattern, `${CURSOR_MARKER}$1`);
}
