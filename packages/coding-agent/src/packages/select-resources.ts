import { isAbsolute, relative, sep } from "node:path";
import { compileGlob, type Glob } from "../tools/search/glob.ts";

/** Maximum number of patterns of a list; the others have no effect. */
const maxPatterns = 500;

/**
 * Selects files with a list of patterns. A pattern without a mark is a path or a glob of files to use; without any such pattern, all are used.
 * `!glob` leaves files out. Then `+path` adds a file, and `-path` leaves one out. Paths of folders mean everything in them, and a name alone the
 * file or skill with this name. A glob matches the path of a file, or of the folder of a skill.
 *
 * @param files - Absolute paths.
 * @param root - The folder to which patterns are relative.
 * @throws {ToolError} `invalid_pattern` for an invalid glob.
 */
export async function selectFiles(files: readonly string[], list: readonly string[], root: string): Promise<string[]> {
  return files.filter(await compileSelection(list, root));
}

/** Compiles a list of patterns to a function that says whether a file is selected; see `selectFiles`. */
export async function compileSelection(list: readonly string[], root: string): Promise<(file: string) => boolean> {
  const patterns = list.slice(0, maxPatterns);
  const [used, left] = await Promise.all([
    compileAll(patterns.filter((pattern) => !/^[!+-]/.test(pattern))),
    compileAll(patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1))),
  ]);
  const exact = (mark: string) =>
    new Set(patterns.filter((pattern) => pattern.startsWith(mark)).map((pattern) => toRelative(pattern.slice(1), root)));
  const [added, removed] = [exact("+"), exact("-")];
  const hasOnlyMarks = used.length === 0 && patterns.length > 0;
  return (file) => {
    const names = namesOf(toRelative(file, root));
    if (names.some((name) => removed.has(name))) return false;
    if (names.some((name) => added.has(name))) return true;
    const isUsed = hasOnlyMarks || used.some((pattern) => matches(pattern, names));
    return isUsed && !left.some((pattern) => matches(pattern, names));
  };
}

/** Whether a text is a glob, not a plain path. */
export function isGlob(text: string): boolean {
  return /[*?[\]{}]/.test(text);
}

interface Pattern {
  text: string;
  /** Undefined for a plain path. */
  glob: Glob | undefined;
}

function compileAll(texts: readonly string[]): Promise<Pattern[]> {
  return Promise.all(
    texts.map(async (text) => {
      const plain = trimPath(text);
      return { text: plain, glob: isGlob(plain) ? await compileGlob(plain) : undefined };
    }),
  );
}

function matches({ text, glob }: Pattern, names: readonly string[]): boolean {
  // A glob such as extensions/* is about files, as in related programs.
  if (glob) return names.some((name) => !isIndexFolder(name, names) && glob.matches(name, false));
  const isName = !text.includes("/");
  return names.some((name) => name === text || name.startsWith(`${text}/`) || (isName && name.endsWith(`/${text}`)));
}

/** Whether a name is the folder of an extension; those of skills may match a glob. */
function isIndexFolder(name: string, [path]: readonly string[]): boolean {
  return name !== path && path?.endsWith("/SKILL.md") === false;
}

/** The paths of a file: its own, and that of its folder if the file stands for the whole folder. */
function namesOf(path: string): string[] {
  const folder = /^(?<folder>.+)\/(?:SKILL\.md|index\.[cm]?[jt]s)$/.exec(path)?.groups?.folder;
  return folder === undefined ? [path] : [path, folder];
}

function toRelative(path: string, root: string): string {
  return trimPath((isAbsolute(path) ? relative(root, path) : path).split(sep).join("/"));
}

function trimPath(path: string): string {
  return path.replace(/^(?:\.\/)+|\/+$/g, "");
}
