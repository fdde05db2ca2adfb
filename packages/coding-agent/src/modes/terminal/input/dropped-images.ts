import { statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Longer pasted texts are not lists of paths. */
const maxLength = 16 * 1024;
const imageNamePattern = /\.(?:png|jpe?g|gif|webp)$/i;
/** A part in quotes, an escaped character, or another one. `'\''` is how shells write a quote within quotes. */
const partPattern = /'((?:[^']|'\\'')*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([^\s'"\\]+)/gs;
/** The same for Windows, where `\` separates folders. */
const windowsPartPattern = /"([^"]*)"|(\s+)|([^\s"]+)/g;

/**
 * The paths of a pasted text that consists only of paths of image files: terminals paste the paths of files that are dropped into them, in quotes,
 * with escaped spaces, or as `file://` URLs.
 *
 * @returns undefined for other texts.
 */
export function droppedImages(pasted: string, platform: NodeJS.Platform = process.platform): string[] | undefined {
  const text = pasted.trim();
  if (text === "" || text.length > maxLength) return undefined;
  const whole = toImagePath(text);
  if (whole !== undefined) return [whole];
  const words = platform === "win32" ? splitWindowsWords(text) : splitWords(text);
  const paths = words.map(toImagePath);
  return paths.every((path) => path !== undefined) ? paths : undefined;
}

/** The path of an image file; undefined for other texts, and for relative paths, which may be meant as text. */
function toImagePath(word: string): string | undefined {
  const path = toPath(word);
  if (path === undefined || !isAbsolute(path) || !imageNamePattern.test(path)) return undefined;
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
  } catch {
    return undefined; // a part of the path is a file, or not accessible
  }
}

function toPath(word: string): string | undefined {
  if (word.startsWith("~/")) return join(homedir(), word.slice(2));
  if (!word.startsWith("file://")) return word.includes("\0") ? undefined : word;
  try {
    return fileURLToPath(word);
  } catch {
    return undefined; // of another host, or not a valid URL
  }
}

function splitWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  for (const [, single, double, escaped, space, plain] of text.matchAll(partPattern)) {
    if (space !== undefined) {
      words.push(word);
      word = "";
    } else {
      word += single?.replaceAll("'\\''", "'") ?? double?.replace(/\\(.)/gs, "$1") ?? escaped ?? plain ?? "";
    }
  }
  return [...words, word];
}

function splitWindowsWords(text: string): string[] {
  const words: string[] = [];
  for (const [, quoted, space, plain] of text.matchAll(windowsPartPattern)) {
    if (space === undefined) words.push(quoted ?? plain ?? "");
  }
  return words;
}
