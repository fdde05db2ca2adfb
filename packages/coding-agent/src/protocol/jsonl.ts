/**
 * The JSON Lines of this protocol: a record ends only at LF, one CR before the LF is dropped, and blank lines are skipped. Has few imports,
 * so that a client can include it.
 */
import { stringifyDeep } from "./deep-json.ts";

/** Maximum length of a line in characters: 64 Mi. A longer line is reported and skipped up to its LF. */
export const maxLineLength = 64 * 1024 * 1024;

export interface LineReader {
  /** Called with each line that is not blank, without its ending. */
  onLine: (line: string) => void;
  /** Called once for a line that is too long, as soon as it exceeds the limit. */
  onTooLong: () => void;
}

/** Splits bytes into lines. The pieces of an unfinished line are joined only once, so the cost is linear in the length of a line. */
export class LineDecoder {
  readonly #reader: LineReader;
  readonly #maxLength: number;
  readonly #utf8 = new TextDecoder();
  #held: string[] = [];
  #heldLength = 0;
  #isSkipping = false;

  /** @param maxLength - In characters. Default `maxLineLength`. */
  constructor(reader: LineReader, maxLength: number = maxLineLength) {
    this.#reader = reader;
    this.#maxLength = maxLength;
  }

  /** Reads the next bytes; a character may span two calls. */
  push(chunk: Uint8Array): void {
    this.#read(this.#utf8.decode(chunk, { stream: true }));
  }

  /** Reads the rest as the last line. */
  end(): void {
    this.#read(`${this.#utf8.decode()}\n`);
  }

  #read(text: string): void {
    let start = 0;
    for (;;) {
      const end = text.indexOf("\n", start);
      if (end < 0) break;
      this.#hold(text.slice(start, end));
      this.#finishLine();
      start = end + 1;
    }
    this.#hold(text.slice(start));
  }

  #hold(piece: string): void {
    if (this.#isSkipping || piece === "") return;
    this.#heldLength += piece.length;
    if (this.#heldLength > this.#maxLength) {
      this.#held = [];
      this.#isSkipping = true;
      this.#reader.onTooLong();
      return;
    }
    this.#held.push(piece);
  }

  #finishLine(): void {
    const line = this.#held.length === 1 ? (this.#held[0] as string) : this.#held.join("");
    const wasSkipping = this.#isSkipping;
    this.#held = [];
    this.#heldLength = 0;
    this.#isSkipping = false;
    if (wasSkipping) return;
    const content = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (content.trim() !== "") this.#reader.onLine(content);
  }
}

/** Other Unicode line breaks, at which some line readers split. In JSON they occur only inside strings, so they can be escaped. */
const foreignLineBreaks = /[\u0085\u2028\u2029]/g;

/**
 * Encodes a value as JSON without any line break. Values that JSON cannot represent (BigInt, functions, cycles) are replaced by a text, so
 * that they never fail the whole record.
 *
 * @param around - The objects around the value, if it is a part of another one.
 */
export function encodeJson(value: unknown, around?: Iterable<object>): string {
  let json: string;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    json = error instanceof RangeError ? stringifyDeep(value, around) : JSON.stringify(replaceUnencodable(value, around));
  }
  return hasForeignLineBreak(json) ? json.replace(foreignLineBreaks, escapeCharacter) : json;
}

/** Thirty times as fast as the regular expression for Latin text, and rarely slower for other text. */
function hasForeignLineBreak(json: string): boolean {
  return json.includes("\u0085") || json.includes("\u2028") || json.includes("\u2029");
}

/** Encodes a record as a line, including the LF; see `encodeJson`. */
export function encodeLine(record: unknown): string {
  return `${encodeJson(record)}\n`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function replaceUnencodable(root: unknown, around: Iterable<object> = []): unknown {
  const ancestors = new Set(around);
  const visit = (value: unknown): unknown => {
    if (typeof value === "bigint") return value.toString();
    if (typeof value !== "object" || value === null) return value;
    if (ancestors.has(value)) return "[circular]";
    ancestors.add(value);
    try {
      if (Array.isArray(value)) return value.map(visit);
      if (typeof (value as { toJSON?: unknown }).toJSON === "function") return JSON.parse(JSON.stringify(value));
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item)]));
    } catch {
      return "[cannot be shown as JSON]";
    } finally {
      ancestors.delete(value);
    }
  };
  return visit(root);
}
