import { breathe } from "../../../exec/breathe.ts";
import type { IndexedFile } from "./file-index.ts";

/**
 * Finds the files that match a query best. The characters of the query occur in the path in their order; names that begin with the query come
 * first, then names that contain it, then paths that contain it. Pauses for the event loop.
 *
 * @throws The reason of the abort signal.
 */
export async function rankFiles(
  files: readonly IndexedFile[],
  query: string,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<IndexedFile[]> {
  const wanted = query.toLowerCase();
  const best: { file: IndexedFile; score: number }[] = [];
  for (const [index, file] of files.entries()) {
    if (index % 500 === 0) {
      await breathe();
      signal.throwIfAborted();
    }
    const score = scoreOf(file, wanted);
    if (score === undefined) continue;
    const worst = best.at(-1);
    if (best.length === limit && worst && score >= worst.score) continue;
    // Of equal scores, the order of the tree stays.
    const place = best.findLastIndex((other) => other.score <= score) + 1;
    best.splice(place, 0, { file, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ file }) => file);
}

/** The lower, the better; undefined if the file does not match. */
function scoreOf({ lowerCase, nameStart, depth }: IndexedFile, wanted: string): number | undefined {
  if (wanted === "") return lowerCase.startsWith(".", nameStart) ? depth + 0.5 : depth;
  const spread = lowerCase.length / 1000 + depth / 10;
  if (lowerCase.startsWith(wanted, nameStart)) return 100 + spread;
  if (lowerCase.startsWith(wanted)) return 200 + spread;
  if (lowerCase.includes(wanted, nameStart)) return 300 + spread;
  if (lowerCase.includes(wanted)) return 400 + spread;
  const gaps = countGaps(lowerCase, wanted, nameStart) ?? countGaps(lowerCase, wanted, 0);
  return gaps === undefined ? undefined : 500 + gaps * 10 + spread;
}

/** The number of gaps between the characters of `wanted` in the text from `start`; undefined if they do not occur in their order. */
function countGaps(text: string, wanted: string, start: number): number | undefined {
  let gaps = 0;
  let at = start;
  for (const character of wanted) {
    const found = text.indexOf(character, at);
    if (found < 0) return undefined;
    if (found > at && at > start) gaps += 1;
    at = found + character.length;
  }
  return gaps;
}
