/** Maximum length of a shown line, in UTF-16 units. */
const maxLength = 4000;

/** Some lines of a text, and the number of the others. */
export interface SomeLines {
  lines: string[];
  left: number;
}

/** The first `most` lines. A line feed at the end does not begin a line. */
export function firstLines(text: string, most: number): SomeLines {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length && lines.length < most) {
    const end = lineEnd(text, start);
    lines.push(text.slice(start, Math.min(end, start + maxLength)));
    start = end + 1;
  }
  return { lines, left: countLines(text, start) };
}

/** The last `most` lines. A line feed at the end does not begin a line. */
export function lastLines(text: string, most: number): SomeLines {
  const lines: string[] = [];
  let end = text.endsWith("\n") ? text.length - 1 : text.length;
  if (text === "") end = -1;
  while (end >= 0 && lines.length < most) {
    const start = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
    lines.push(text.slice(start, Math.min(end, start + maxLength)));
    end = start - 1;
  }
  return { lines: lines.reverse(), left: end < 0 ? 0 : countLines(text.slice(0, end + 1)) };
}

/** The number of lines of a text. */
export function countLines(text: string, from = 0): number {
  let count = 0;
  for (let at = from; at < text.length; at = lineEnd(text, at) + 1) count += 1;
  return count;
}

function lineEnd(text: string, from: number): number {
  const lineFeed = text.indexOf("\n", from);
  return lineFeed === -1 ? text.length : lineFeed;
}
