// What tolerant matching takes for equal. Both the old text and the file are folded, and the folded texts are compared.

const singleQuotes = /[\u2018-\u201b\u2032\u02bc]/g;
const doubleQuotes = /[\u201c-\u201f\u2033]/g;
const dashes = /[\u2010-\u2015\u2212\ufe58\ufe63]/g;
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const trailingBlanks = /[ \t\r\f\v]+$/;
// A base character with its marks, or a run of Hangul letters: what normalisation may join is in one segment.
const segments = /[\u1100-\u11ff]+|\P{M}\p{M}*|\p{M}+/gsu;
const ascii = /^[\0-\x7f]*$/;

/** Quotes, dashes and spaces of all kinds become the plain ones, and Unicode compatibility forms what they stand for. */
export function foldCharacters(text: string): string {
  if (ascii.test(text)) return text;
  // Before normalisation, which makes two characters of a double prime.
  return text
    .replace(doubleQuotes, '"')
    .replace(spaces, " ")
    .normalize("NFKC")
    .replace(singleQuotes, "'")
    .replace(dashes, "-")
    .replace(spaces, " ");
}

/** A folded line: without blanks at its end, which a line that goes on elsewhere keeps. */
export function foldLine(line: string, goesOn = false): string {
  const folded = foldCharacters(line);
  return goesOn ? folded : folded.slice(0, lengthWithoutBlanks(folded));
}

/** The folded blanks at the end of a text's last line. */
export function blanksAtEnd(text: string): string {
  const folded = foldCharacters(text.slice(text.lastIndexOf("\n") + 1));
  return folded.slice(lengthWithoutBlanks(folded));
}

/** Folds each line of a text. */
export function foldText(text: string, lastLineGoesOn = false): string {
  if (ascii.test(text) && !/[ \t\r\f\v](\n|$)/.test(text)) return text;
  const lines = text.split("\n");
  return lines.map((line, index) => foldLine(line, lastLineGoesOn && index === lines.length - 1)).join("\n");
}

/**
 * The place in a line that corresponds to a place in the folded line.
 *
 * @returns undefined for a place within what one character became: the middle dot of the three that "…" is.
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

/** Not by the expression alone: on a long run of blanks inside the line it would begin anew at each. */
function lengthWithoutBlanks(folded: string): number {
  const last = folded.at(-1);
  if (last === undefined || !trailingBlanks.test(last)) return folded.length;
  let length = folded.length;
  while (length > 0 && trailingBlanks.test(folded[length - 1] ?? "")) length--;
  return length;
}
