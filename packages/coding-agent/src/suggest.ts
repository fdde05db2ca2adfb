import { distance } from "fastest-levenshtein";

/** Minimum number of letters of a word for which two typing errors are accepted; shorter words may have one. */
const longWord = 5;

/** The word that the user probably intended; undefined if no word is similar, or `typed` is one of the words. */
export function meantWord(typed: string, words: readonly string[]): string | undefined {
  if (words.includes(typed)) return undefined;
  let best: { word: string; edits: number } | undefined;
  for (const word of words) {
    const edits = countTypos(typed.toLowerCase(), word.toLowerCase());
    if (edits <= (lettersOf(word) < longWord ? 1 : 2) && (!best || edits < best.edits)) best = { word, edits };
  }
  return best?.word;
}

/** Returns ` Did you mean "…"?` with the probably intended word, or an empty string. */
export function suggest(typed: string, words: readonly string[]): string {
  const meant = meantWord(typed, words);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** Counts typing errors. Transposed letters count as half an error, because they are more likely than other errors. */
function countTypos(typed: string, word: string): number {
  const isShuffled = typed.length === word.length && [...typed].sort().join("") === [...word].sort().join("");
  return typed === word ? 0 : isShuffled ? 0.5 : distance(typed, word);
}

function lettersOf(word: string): number {
  return word.replace(/^-+/, "").length;
}
