/** Puts the codes of a style around a text. */
export type Style = (text: string) => string;

/**
 * A style between two SGR codes. The end code also ends other styles of the same kind, so the style starts again after it. It ends before each
 * line break and starts again after it, so that a line can be printed alone.
 */
export function createStyle(startCode: string, endCode: string): Style {
  const start = `\x1b[${startCode}m`;
  const end = `\x1b[${endCode}m`;
  const styleLine = (line: string) =>
    line === "" ? "" : `${start}${line.includes(end) ? line.replaceAll(end, end + start) : line}${end}`;
  return (text) => (text.includes("\n") ? text.split("\n").map(styleLine).join("\n") : styleLine(text));
}
