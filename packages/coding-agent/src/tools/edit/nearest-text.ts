import { distance } from "fastest-levenshtein";
import { foldCharacters } from "./fold-text.ts";
import { countLineEnds } from "./line-numbers.ts";
import type { Pacer } from "./pacer.ts";

/** Maximum bytes to search: at most half a second, with pauses for other work. */
const maxSearchedBytes = 16 * 1024 * 1024;
const pieceBytes = 32 * 1024;
/** Maximum lines of the old text to search for. */
const maxWantedLines = 200;
/** Maximum candidates. More candidates come only from lines that occur everywhere. */
const maxPlaces = 10_000;
/** Maximum characters of a line to compare. */
const maxComparedLength = 200;
const maxComparisons = 100_000;
const minLikeness = 0.5;
/** Maximum characters of a line to show. */
const maxShownLength = 120;

interface Place {
  /** 0-based line of the file at which the old text would start. */
  line: number;
  score: number;
}

/**
 * Describes the most similar text in a file, for a text that does not occur in it, and the first line that differs.
 *
 * @param text - UTF-8 with LF line ends.
 * @param wanted - With LF line ends.
 * @param name - The name of the wanted text in the message, such as `oldText`.
 * @returns undefined if no text is similar.
 */
export async function describeNearest(text: Buffer, wanted: string, name: string, pacer: Pacer): Promise<string | undefined> {
  const wantedLines = (wanted.endsWith("\n") ? wanted.slice(0, -1) : wanted).split("\n");
  const searched = text.subarray(0, maxSearchedBytes);
  const place = (await findSharedLines(searched, wantedLines, pacer)) ?? (await findAlikeLine(searched, wantedLines, pacer));
  if (!place) return undefined;
  const first = Math.max(0, place.line);
  const lines = await readLines(text, first, wantedLines.length, pacer);
  const last = first + lines.length;
  const where = lines.length === 1 ? `line ${first + 1}` : `lines ${first + 1}-${last}`;
  const skipped = first - place.line;
  const different = wantedLines
    .slice(skipped)
    .findIndex((line, index) => !isAlike(line, lines[index], index + skipped, wantedLines));
  const advice = `Read ${where} again and copy the text from there.`;
  if (different === -1) return `The nearest text is at ${where}. ${advice}`;
  const found = lines[different];
  const actual = found === undefined ? "the file ends before it" : `the file has ${quote(found, wantedLines[different + skipped])}`;
  const expected = `${name} has ${quote(wantedLines[different + skipped] ?? "", found)}`;
  return `The nearest text is at ${where}. Where ${expected}, ${actual} (line ${first + different + 1}). ${advice}`;
}

/** Finds the place with the most common lines, ignoring blanks around lines. Long lines count more. */
async function findSharedLines(text: Buffer, wantedLines: readonly string[], pacer: Pacer): Promise<Place | undefined> {
  const indexes = new Map<string, number[]>();
  for (const [index, line] of wantedLines.slice(0, maxWantedLines).entries()) {
    const key = foldCharacters(line).trim();
    // Brackets and blank lines are too common.
    if (!/\w\w/.test(key)) continue;
    const known = indexes.get(key);
    if (known) known.push(index);
    else indexes.set(key, [index]);
  }
  if (indexes.size === 0) return undefined;
  const scores = new Map<number, number>();
  await forEachLine(text, pacer, (line, number) => {
    const key = foldCharacters(line).trim();
    for (const index of indexes.get(key) ?? []) {
      const start = number - index;
      if (scores.size < maxPlaces || scores.has(start)) scores.set(start, (scores.get(start) ?? 0) + key.length);
    }
  });
  let best: Place | undefined;
  for (const [line, score] of scores)
    if (!best || score > best.score || (score === best.score && line < best.line)) best = { line, score };
  return best;
}

/** Finds the line that is most similar to the longest wanted line. */
async function findAlikeLine(text: Buffer, wantedLines: readonly string[], pacer: Pacer): Promise<Place | undefined> {
  const keys = wantedLines.slice(0, maxWantedLines).map((line) => foldCharacters(line).trim().slice(0, maxComparedLength));
  const wanted = keys.reduce((longest, key) => (key.length > longest.length ? key : longest), "");
  if (wanted === "") return undefined;
  const index = keys.indexOf(wanted);
  const words = [...new Set(wanted.match(/\w+/g))];
  const lettersOf = (list: readonly string[]) => list.reduce((sum, word) => sum + word.length, 0);
  const allLetters = lettersOf(words);
  let comparisons = 0;
  let best: Place | undefined;
  await forEachLine(text, pacer, (line, number) => {
    const candidate = line.trim();
    if (candidate === "") return;
    // Common words find a text that is part of a line; the edit distance finds misspelt words.
    let likeness = allLetters === 0 ? 0 : (0.9 * lettersOf(words.filter((word) => candidate.includes(word)))) / allLetters;
    const ratio = candidate.length / wanted.length;
    if (ratio > 0.5 && ratio < 2 && comparisons < maxComparisons) {
      comparisons++;
      const cut = candidate.slice(0, maxComparedLength);
      likeness = Math.max(likeness, 1 - distance(wanted, cut) / Math.max(wanted.length, cut.length));
    }
    if (likeness >= minLikeness && likeness > (best?.score ?? 0)) best = { line: number - index, score: likeness };
  });
  return best;
}

/** @param visit - Called with each line, without line end, and its 0-based number. */
async function forEachLine(text: Buffer, pacer: Pacer, visit: (line: string, number: number) => void): Promise<void> {
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const limit = Math.min(start + pieceBytes, text.length);
    const lastLine = limit === text.length ? limit : text.lastIndexOf(0x0a, limit - 1) + 1;
    // A line longer than a piece is split into pieces, which count as lines.
    const end = lastLine > start ? lastLine : limit;
    const lines = text.toString("utf8", start, end).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) visit(line, number++);
    if (rest !== "") visit(rest, number);
    start = end;
    await pacer.pause();
  }
}

/** Reads `count` lines without line ends; fewer at the end of the text. */
async function readLines(text: Buffer, first: number, count: number, pacer: Pacer): Promise<string[]> {
  let start = 0;
  let passed = 0;
  for (let from = 0; passed < first && from < text.length; from += pieceBytes) {
    const to = Math.min(from + pieceBytes, text.length);
    const inPiece = await countLineEnds(text, from, to, pacer);
    if (passed + inPiece < first) {
      passed += inPiece;
      continue;
    }
    for (start = from; passed < first; passed++) start = text.indexOf(0x0a, start) + 1;
  }
  const lines: string[] = [];
  for (let at = start; lines.length < count && at < text.length; ) {
    const end = text.indexOf(0x0a, at);
    const stop = end === -1 ? text.length : end;
    lines.push(text.toString("utf8", at, Math.min(stop, at + pieceBytes)));
    at = stop + 1;
  }
  return lines;
}

/** Whether a wanted line matches a line of the file. The first wanted line may start, and the last may end, inside a line of the file. */
function isAlike(wanted: string, line: string | undefined, index: number, wantedLines: readonly string[]): boolean {
  if (line === undefined) return false;
  const [left, right] = [foldCharacters(wanted).trimEnd(), foldCharacters(line).trimEnd()];
  const isFirst = index === 0;
  const isLast = index === wantedLines.length - 1;
  if (isFirst && isLast) return right.includes(left);
  if (isFirst) return right.endsWith(left);
  return isLast ? right.startsWith(left) : right === left;
}

/** Quotes a line as JSON, which makes tabs visible. Of a long line, only the part around the first difference is shown. */
function quote(line: string, other = ""): string {
  let same = 0;
  while (same < line.length && line[same] === other[same]) same++;
  const start = line.length <= maxShownLength ? 0 : Math.max(0, Math.min(same - maxShownLength / 3, line.length - maxShownLength));
  const end = start + maxShownLength;
  return `${start > 0 ? "…" : ""}${JSON.stringify(line.slice(start, end))}${end < line.length ? "…" : ""}`;
}
