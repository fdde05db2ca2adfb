import { ToolError } from "@pikit/agent";

/** A glob that can be asked about paths. */
export interface Glob {
  /** @param path - Relative to the folder that is searched, `/`-separated. */
  matches(path: string, isDirectory: boolean): boolean;
}

/** What every glob dialect reads alike. */
const plainGlob = /^[\w.*?+@-]*(\{[\w.*?+@-]+(,[\w.*?+@-]+)*\}[\w.*?+@-]*)?$/;

/** No path is longer on usual systems. */
const maxLength = 4096;
/** Folders, everything below, what stands for characters in a name, a class, an escape, or one character. */
const tokens =
  /(?<folders>(?<=^|[/{,])(?:\*\*\/)+)|(?<below>(?<=^|[/{,])\*\*(?=$|[,}]))|\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\])*\]|\\?./gsu;

/**
 * Understands `*` and `?` (within a name), `**` (any folders), `[a-z]`, `[!a-z]`, `{one,two}` and `\` before what is meant literally.
 * Without a `/` it is about the last name of a path wherever that is, else about the whole path; with a final `/` about folders only.
 * Matching takes linear time, whatever the glob.
 *
 * @throws {ToolError} `invalid_pattern`
 */
export async function compileGlob(glob: string): Promise<Glob> {
  const { RE2JS } = await import("re2js");
  const { body, isForFolders } = splitGlob(glob);
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
 * The part of a glob that ripgrep can look at while it walks: what the last names of all matching files match too.
 *
 * @returns undefined where there is none, or it might mean something else to ripgrep.
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
  // What is not in a class may be anything in a name.
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
