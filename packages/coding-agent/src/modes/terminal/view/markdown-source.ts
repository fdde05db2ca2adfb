/** The rules of CommonMark and its tables that decide where a block begins and ends. */

/** A marker of a list item at the beginning of a line. */
export interface ItemMarker {
  /** Spaces before the marker. */
  indent: number;
  /** The marker with the spaces around it. */
  text: string;
  isOrdered: boolean;
  /** The number of an ordered item. */
  number: number;
  /** The text of the item begins at this column. */
  offset: number;
  rest: string;
}

export interface Fence {
  mark: string;
  /** Number of marks; the closing fence has at least as many. */
  length: number;
  /** The text after the marks, which begins with the language. */
  info: string;
}

/** The number of columns that are spaces or tabs at the beginning. A tab ends at a multiple of four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns += 1;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** Removes up to `columns` columns of spaces and tabs at the beginning. */
export function dedent(line: string, columns: number): string {
  let removed = 0;
  let at = 0;
  for (; removed < columns && at < line.length; at++) {
    if (line[at] === " ") removed += 1;
    else if (line[at] === "\t") removed += 4 - (removed % 4);
    else break;
  }
  return " ".repeat(Math.max(0, removed - columns)) + line.slice(at);
}

export function isBlank(line: string): boolean {
  return line.trim() === "";
}

export function readFence(line: string): Fence | undefined {
  const [, marks = "", info = ""] = /^ {0,3}(`{3,}|~{3,})\s*(.*?)\s*$/.exec(line) ?? [];
  const mark = marks[0];
  if (mark === undefined || (mark === "`" && info.includes("`"))) return undefined;
  return { mark, length: marks.length, info };
}

export function endsFence(line: string, { mark, length }: Fence): boolean {
  const text = line.trim();
  return indentOf(line) < 4 && text.length >= length && text === mark.repeat(text.length);
}

export function readItem(line: string): ItemMarker | undefined {
  const match = /^( {0,3})([-+*]|\d{1,9}[.)])(?:( {1,4})(?! )|( )(?= )|$)/.exec(line);
  if (!match) return undefined;
  const [all, before = "", marker = "", spaces = " "] = match;
  const number = Number.parseInt(marker, 10);
  const text = `${before}${marker}${spaces}`;
  return {
    indent: before.length,
    text,
    isOrdered: !Number.isNaN(number),
    number,
    offset: text.length,
    rest: line.slice(all.length),
  };
}

export function isHeading(line: string): boolean {
  return /^ {0,3}#{1,6}(?:\s|$)/.test(line);
}

export function isRule(line: string): boolean {
  return /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line);
}

/** The line below a paragraph that makes it a heading. */
export function isUnderline(line: string): boolean {
  return /^ {0,3}(?:=+|-+)[ \t]*$/.test(line);
}

export function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

/** The second line of a table. */
export function isTableRuler(line: string): boolean {
  return line.includes("|") && /^ {0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*(?::?-+:?[ \t]*)?$/.test(line) && line.includes("-");
}
