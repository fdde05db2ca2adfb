import { distance } from "fastest-levenshtein";

/** Letters from which on a word may have two typing errors instead of one. */
const longWord = 5;

/** Of words, the one that was probably meant; undefined when what was typed is nothing like any of them, or is one of them. */
export function meantWord(typed: string, words: readonly string[]): string | undefined {
  if (words.includes(typed)) return undefined;
  let best: { word: string; edits: number } | undefined;
  for (const word of words) {
    const edits = countTypos(typed.toLowerCase(), word.toLowerCase());
    if (edits <= (lettersOf(word) < longWord ? 1 : 2) && (!best || edits < best.edits)) best = { word, edits };
  }
  return best?.word;
}

/** ` Did you mean "…"?` for the word that was probably meant, else nothing. */
export function suggest(typed: string, words: readonly string[]): string {
  const meant = meantWord(typed, words);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** Letters that changed places are one error, and more likely than another one. */
function countTypos(typed: string, word: string): number {
  const isShuffled = typed.length === word.length && [...typed].sort().join("") === [...word].sort().join("");
  return typed === word ? 0 : isShuffled ? 0.5 : distance(typed, word);
}

function lettersOf(word: string): number {
  return word.replace(/^-+/, "").length;
}
