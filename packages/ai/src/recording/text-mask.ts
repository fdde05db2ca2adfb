import { realpathSync } from "node:fs";
import { parse } from "node:path";

/** A text that a recording holds in another form. */
export interface MaskedText {
  text: string;
  /** What stands for the characters from `from` up to `to`; the whole text when it was in one piece. */
  write(from: number, to: number): string;
}

/** The working folder, so that a recording fits every folder. A root folder has no name to hide. */
export function maskFolder(folder: string): MaskedText[] {
  const own: MaskedText = {
    text: folder,
    write: (from, to) => {
      const end = to === folder.length ? "" : to;
      return from === 0 && end === "" ? "<cwd>" : `<cwd:${from}-${end}>`;
    },
  };
  // Other spellings: without links, and for Windows with slashes or as JSON has it.
  const others = [tryRealPath(folder), folder.replaceAll("\\", "/"), folder.replaceAll("\\", "\\\\")];
  const spellings = [...new Set(others)].filter((text) => text !== folder).map((text) => maskAs(text, "<cwd>"));
  // Longer ones first: one may be the beginning of another.
  return [own, ...spellings].filter(({ text }) => parse(text).root !== text).sort((a, b) => b.text.length - a.text.length);
}

/** Credentials, whoever repeats them. */
export function maskSecrets(secrets: readonly string[]): MaskedText[] {
  return [...new Set(secrets)].map((secret) => maskAs(secret, "<key>"));
}

/** The text with everything masked that it has whole. */
export function maskText(text: string, masks: readonly MaskedText[]): string {
  return masks.reduce((result, mask) => result.replaceAll(mask.text, mask.write(0, mask.text.length)), text);
}

/**
 * Puts a folder where the working folder of the recording was.
 *
 * @param json - JSON text, and it stays JSON.
 */
export function unmaskFolder(json: string, folder: string): string {
  // Windows takes slashes too, and they need no escapes, however deep in other JSON the path stands.
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
    return folder; // gone: nothing will name it in another way
  }
}
