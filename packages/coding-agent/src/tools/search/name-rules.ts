import { nameMatcher } from "./simple-glob.ts";

/** A rule about the last name of a path, such as `*.log` or `dist/`: no folders, exceptions, classes or escapes. */
const nameRule = /^(?<name>[\w*@+-][\w.*@+-]*|\.[\w*@+-][\w.*@+-]*)(?<isForFolders>\/?)$/;

/**
 * Compiles a .gitignore whose rules are all about names to comparisons of strings. They are the most frequent ones, and the general matcher takes
 * longer for a file than its walk.
 *
 * @returns Whether a file with this name is ignored, if its folder is not; undefined if there are other rules.
 */
export function compileNameRules(ignoreFile: string): ((name: string) => boolean) | undefined {
  const matchers: ((name: string) => boolean)[] = [];
  for (const line of ignoreFile.split(/\r?\n/)) {
    if (line === "" || line.startsWith("#")) continue;
    const { name, isForFolders } = nameRule.exec(line)?.groups ?? {};
    if (name === undefined || name.includes("**")) return undefined;
    if (!isForFolders) matchers.push(nameMatcher(name));
  }
  return (name) => matchers.some((matches) => matches(name));
}
