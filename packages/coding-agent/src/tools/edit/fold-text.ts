// Text folding for tolerant matching: the old text and the file are both folded, and the folded texts are compared.

const singleQuotes = /[\u2018-\u201b\u2032\u02bc]/g;
const doubleQuotes = /[\u201c-\u201f\u2033]/g;
const dashes = /[\u2010-\u2015\u2212\ufe58\ufe63]/g;
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const trailingBlanks = /[ \t\r\f\v]+$/;
// A base character with its marks, or a sequence of Hangul letters: characters that normalisation may join are in one segment.
const segments = /[\u1100-\u11ff]+|\P{M}\p{M}*|\p{M}+/gsu;
const ascii = /^[\0-\x7f]*$/;

/** Replaces all kinds of quotes, dashes and spaces by the ASCII ones, and applies Unicode normalisation (NFKC). */
export function foldCharacters(text: string): string {
  if (ascii.test(text)) return text;
  // Before normalisation, which replaces a double prime by two characters.
  return text
    .replace(doubleQuotes, '"')
    .replace(spaces, " ")
    .normalize("NFKC")
    .replace(singleQuotes, "'")
    .replace(dashes, "-")
    .replace(spaces, " ");
}

/** Folds a line and removes the blanks at its end; not if the line continues in the next piece. */
export function foldLine(line: string, isContinued = false): string {
  const folded = foldCharacters(line);
  return isContinued ? folded : folded.slice(0, lengthWithoutBlanks(folded));
}

/** Returns the folded blanks at the end of the last line. */
export function blanksAtEnd(text: string): string {
  const folded = foldCharacters(text.slice(text.lastIndexOf("\n") + 1));
  return folded.slice(lengthWithoutBlanks(folded));
}

/** Folds each line of a text. */
export function foldText(text: string, isLastLineContinued = false): string {
  if (ascii.test(text) && !/[ \t\r\f\v](\n|$)/.test(text)) return text;
  const lines = text.split("\n");
  return lines.map((line, index) => foldLine(line, isLastLineContinued && index === lines.length - 1)).join("\n");
}

/**
 * Converts an offset in the folded line to an offset in the line.
 *
 * @returns undefined for an offset inside the replacement of one character, such as inside the three dots for "…".
 */
export function unfoldOffset(line: string, foldedOffset: number): number | undefined {
  if (foldedOffset === 0) return 0;
  if (ascii.test(line)) return foldedOffset;
  let folded = 0;
  for (const { 0: segment, index } of line.matchAll(segments)) {
    folded += foldCharacters(segment).length;
    if (folded >= foldedOffset) return folded === foldedOffset ? index + segment.length : undefined;
  }
  return undefined;
}

/** A loop, because the regular expression alone takes quadratic time for many blanks inside a line. */
function lengthWithoutBlanks(folded: string): number {
  const last = folded.at(-1);
  if (last === undefined || !trailingBlanks.test(last)) return folded.length;
  let length = folded.length;
  while (length > 0 && trailingBlanks.test(folded[length - 1] ?? "")) length--;
  return length;
}
