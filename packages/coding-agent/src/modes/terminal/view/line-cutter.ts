/** Maximum length of a line, in UTF-16 units. Longer ones are cut, so that a text without line breaks does not wait for its end. */
const maxLineLength = 2000;

/** A line of a text, or a piece of a long line. */
export interface SourceLine {
  /** With its line feed, if it has one. */
  text: string;
  /** Whether the line continues with the next piece. */
  isCut: boolean;
}

/** Splits a text that arrives in pieces into lines. The lines depend only on the text, not on its pieces. The time is linear. */
export class LineCutter {
  /** The unfinished line: at most `maxLineLength` units without a line feed. */
  #rest = "";

  /** The part of the text that is not in a line yet. */
  get rest(): string {
    return this.#rest;
  }

  /** Returns the lines that are finished by this piece of the text. */
  push(piece: string): SourceLine[] {
    const before = this.#rest.length;
    // The held part has no line feed. As long as it is short, it is not read again.
    if (before + piece.length <= maxLineLength && !piece.includes("\n")) {
      this.#rest += piece;
      return [];
    }
    const text = this.#rest + piece;
    const lines: SourceLine[] = [];
    let start = 0;
    for (let from = before; ; from = start) {
      const lineFeed = text.indexOf("\n", from);
      const end = lineFeed === -1 ? text.length : lineFeed;
      while (end - start > maxLineLength) {
        const cut = cutAt(text, start);
        lines.push({ text: text.slice(start, cut), isCut: true });
        start = cut;
      }
      if (lineFeed === -1) break;
      lines.push({ text: text.slice(start, lineFeed + 1), isCut: false });
      start = lineFeed + 1;
    }
    this.#rest = text.slice(start);
    return lines;
  }

  /** Returns the rest of the text, and forgets it. */
  end(): SourceLine[] {
    const text = this.#rest;
    this.#rest = "";
    return text === "" ? [] : [{ text, isCut: false }];
  }
}

/** The position to cut a long line at: after a space if there is one in its second half, and not within a surrogate pair. */
function cutAt(text: string, start: number): number {
  const limit = start + maxLineLength;
  const space = text.lastIndexOf(" ", limit - 1);
  if (space >= start + maxLineLength / 2) return space + 1;
  return /[\udc00-\udfff]/.test(text.charAt(limit)) ? limit - 1 : limit;
}
