import { realpathSync } from "node:fs";
import { parse } from "node:path";

/** A text that a recording replaces with a marker. */
export interface MaskedText {
  text: string;
  /** The marker for the characters from `from` up to `to`: one event may hold only a part of the text. */
  write(from: number, to: number): string;
}

/** Masks the working folder, so that a recording can be played in any folder. A root folder is not masked. */
export function maskFolder(folder: string): MaskedText[] {
  const own: MaskedText = {
    text: folder,
    write: (from, to) => {
      const end = to === folder.length ? "" : to;
      return from === 0 && end === "" ? "<cwd>" : `<cwd:${from}-${end}>`;
    },
  };
  // Other spellings: with links resolved, and on Windows with slashes or with JSON escapes.
  const others = [tryRealPath(folder), folder.replaceAll("\\", "/"), folder.replaceAll("\\", "\\\\")];
  const spellings = [...new Set(others)].filter((text) => text !== folder).map((text) => maskAs(text, "<cwd>"));
  // Longer spellings first, because one may be the beginning of another.
  return [own, ...spellings].filter(({ text }) => parse(text).root !== text).sort((a, b) => b.text.length - a.text.length);
}

/** Masks credentials. */
export function maskSecrets(secrets: readonly string[]): MaskedText[] {
  return [...new Set(secrets)].map((secret) => maskAs(secret, "<key>"));
}

/** Replaces every complete masked text in `text` with its marker. */
export function maskText(text: string, masks: readonly MaskedText[]): string {
  return masks.reduce((result, mask) => result.replaceAll(mask.text, mask.write(0, mask.text.length)), text);
}

/**
 * Replaces the markers of the recorded working folder with `folder`.
 *
 * @param json - JSON text; the result is valid JSON too.
 */
export function unmaskFolder(json: string, folder: string): string {
  // Windows accepts slashes too, and they need no escapes, even in JSON inside JSON.
  const shown = parse(folder).root.includes("\\") ? folder.replaceAll("\\", "/") : folder;
  return json.replace(/<cwd(?::(\d+)-(\d*))?>/g, (_marker, from = "0", to = "") => {
    const piece = shown.slice(Number(from), to === "" ? undefined : Number(to));
    return JSON.stringify(piece).slice(1, -1);
  });
}

function maskAs(text: string, marker: string): MaskedText {
  return { text, write: (from) => (from === 0 ? marker : "") };
}

function tryRealPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // the folder does not exist
  }
}
