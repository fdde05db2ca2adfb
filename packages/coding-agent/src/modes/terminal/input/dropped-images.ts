import { statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Longer pasted texts are not lists of paths. */
const maxLength = 16 * 1024;
const imageNamePattern = /\.(?:png|jpe?g|gif|webp)$/i;
/** A part in quotes, an escaped character, space, or another part. `'\''` is how shells write a quote within quotes. */
const partPattern = /'(?<single>(?:[^']|'\\'')*)'|"(?<double>(?:[^"\\]|\\.)*)"|\\(?<escaped>.)|(?<space>\s+)|[^\s'"\\]+/gsy;
/** The same for Windows, where `\` separates folders. */
const windowsPartPattern = /"(?<double>[^"]*)"|(?<space>\s+)|[^\s"]+/gy;

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
  // URLs may have quotes, which mean nothing there.
  const words = text.startsWith("file://") ? text.split(/\s+/) : splitWords(text, platform === "win32");
  const paths = words?.map(toImagePath);
  return paths?.every((path) => path !== undefined) ? paths : undefined;
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

/** Splits a text as a shell does; undefined for a quote without its end. */
function splitWords(text: string, isWindows: boolean): string[] | undefined {
  const words: string[] = [""];
  let end = 0;
  const pattern = isWindows ? windowsPartPattern : partPattern;
  for (const match of text.matchAll(pattern)) {
    end += match[0].length;
    const { space, double, single, escaped } = match.groups ?? {};
    const unquoted = isWindows ? double : (single?.replaceAll("'\\''", "'") ?? double?.replace(/\\(.)/gs, "$1") ?? escaped);
    if (space !== undefined) words.push("");
    else words.push(`${words.pop()}${unquoted ?? match[0]}`);
  }
  return end === text.length ? words : undefined;
}
