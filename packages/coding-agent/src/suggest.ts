import { distance } from "fastest-levenshtein";

/** The most letters that a word may be wrong in, to be taken for a typing error. */
const maxTypos = 3;

/** Of words, the one that was probably meant; undefined when what was typed is nothing like any of them, or is one of them. */
export function meantWord(typed: string, words: readonly string[]): string | undefined {
  if (words.includes(typed)) return undefined;
  const wanted = typed.toLowerCase();
  let best: { word: string; edits: number } | undefined;
  for (const word of words) {
    const edits = distance(wanted, word.toLowerCase());
    if (edits <= Math.min(maxTypos, Math.floor(word.length / 3)) && (!best || edits < best.edits)) best = { word, edits };
  }
  return best?.word;
}

/** ` Did you mean "…"?` for the word that was probably meant, else nothing. */
export function suggest(typed: string, words: readonly string[]): string {
  const meant = meantWord(typed, words);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}
