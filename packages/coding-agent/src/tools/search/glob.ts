import { ToolError } from "@pikit/agent";
import { compileSimpleGlob } from "./simple-glob.ts";

/** A compiled glob. */
export interface Glob {
  /** @param path - Relative to the searched folder, `/`-separated. */
  matches(path: string, isDirectory: boolean): boolean;
}

/** Globs with the same meaning in all dialects. */
const plainGlob = /^[\w.*?+@-]*(\{[\w.*?+@-]+(,[\w.*?+@-]+)*\}[\w.*?+@-]*)?$/;

/** Maximum length of a glob; paths are not longer on usual systems. */
const maxLength = 4096;
/** Any folders, everything below, wildcards within a name, a class, an escape, or one character. */
const tokens =
  /(?<folders>(?<=^|[/{,])(?:\*\*\/)+)|(?<below>(?<=^|[/{,])\*\*(?=$|[,}]))|\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\])*\]|\\?./gsu;

/**
 * Compiles a glob with `*` and `?` (within a name), `**` (any folders), `[a-z]`, `[!a-z]`, `{one,two}` and `\` before a literal character.
 * A glob without `/` matches the last name of a path; other globs match the whole path. A glob with a final `/` matches only folders. Matching
 * takes linear time for every glob.
 *
 * @throws {ToolError} `invalid_pattern`
 */
export async function compileGlob(glob: string): Promise<Glob> {
  const { body, isForFolders } = splitGlob(glob);
  const matchesSimply = body.length > maxLength ? undefined : compileSimpleGlob(body);
  if (matchesSimply) return { matches: (path, isDirectory) => (isDirectory || !isForFolders) && matchesSimply(path) };
  const { RE2JS } = await import("re2js");
  const isAboutName = !body.includes("/");
  const regex = RE2JS.compile(toRegex(body.replace(/^\//, ""), glob), RE2JS.DOTALL);
  return {
    matches(path, isDirectory) {
      if (isForFolders && !isDirectory) return false;
      return regex.testExact(isAboutName ? path.slice(path.lastIndexOf("/") + 1) : path);
    },
  };
}

/**
 * Returns the part of a glob for the last names of matching files, with which ripgrep can select files during its walk.
 *
 * @returns undefined if there is none, or it may have another meaning in ripgrep.
 */
export function lastNameGlob(glob: string): string | undefined {
  const { body, isForFolders } = splitGlob(glob);
  const last = body.slice(body.lastIndexOf("/") + 1);
  const folders = body.slice(0, body.length - last.length);
  if (isForFolders || last === "" || last === "*" || last.includes("**") || /[{}[\]\\]/.test(folders)) return undefined;
  return plainGlob.test(last) ? last : undefined;
}

function splitGlob(glob: string): { body: string; isForFolders: boolean } {
  const body = glob.replace(/^(\.\/)+/, "");
  return body.length > 1 && body.endsWith("/") ? { body: body.slice(0, -1), isForFolders: true } : { body, isForFolders: false };
}

function toRegex(body: string, glob: string): string {
  if (body === "" || body.length > maxLength) throw invalid(glob, body === "" ? "it is empty" : "it is too long");
  let regex = "";
  let openBraces = 0;
  for (const { 0: token, groups } of body.matchAll(tokens)) {
    if (token === "{") openBraces++;
    if (token === "}") openBraces--;
    if (openBraces < 0) throw invalid(glob, "a } has no { before it");
    if (groups?.folders) regex += "(?:[^/]+/)*";
    else if (groups?.below) regex += ".+";
    else regex += toRegexPart(token, openBraces > 0, glob);
  }
  if (openBraces > 0) throw invalid(glob, "a { has no } behind it");
  return regex;
}

function toRegexPart(token: string, isInBraces: boolean, glob: string): string {
  if (token.startsWith("*")) return "[^/]*";
  if (token === "?") return "[^/]";
  if (token === "{") return "(?:";
  if (token === "}") return ")";
  if (token === "," && isInBraces) return "|";
  if (token === "[") throw invalid(glob, "a [ has no ] behind it");
  if (token.startsWith("[")) return toClass(token, glob);
  if (token === "\\") throw invalid(glob, "it ends with a backslash");
  const character = token.startsWith("\\") ? token.slice(1) : token;
  return /[\w/]/.test(character) ? character : codePoint(character);
}

function toClass(source: string, glob: string): string {
  const isNegated = /^\[[!^]/.test(source);
  const members = [...source.slice(isNegated ? 2 : 1, -1).matchAll(/\\?(.)(?:-\\?([^\]]))?/gsu)].map(([, from = "", to = from]) => {
    if ((from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0))
      throw invalid(glob, `the range ${from}-${to} is the wrong way round`);
    return `${codePoint(from)}-${codePoint(to)}`;
  });
  // A negated class matches all other characters of a name, but not `/`.
  return isNegated ? `[^/${members.join("")}]` : `[${members.join("")}]`;
}

function codePoint(character: string): string {
  return `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function invalid(glob: string, reason: string): ToolError {
  const shown = glob.length > 100 ? `${glob.slice(0, 100)}…` : glob;
  const advice = "Examples: *.ts, src/**/*.test.ts, *.{js,ts}. A \\ makes the next character literal.";
  return new ToolError("invalid_pattern", `"${shown}" is not a valid glob: ${reason}. ${advice}`);
}
