import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { FileError, fileLimits, readWhole } from "@pikit/ai/files";
import { parseStreamRule } from "./parse-rule.ts";
import { PatternSet } from "./pattern-set.ts";
import type { StreamRule } from "./rule.ts";

/** Rules from files, and the problems with other files. */
export interface FoundRules {
  rules: StreamRule[];
  /** One line for each file that is skipped. */
  problems: string[];
}

/**
 * Reads the stream rules in folders: the `*.md` files, in order of name. An invalid file is skipped and reported. Of two rules with the
 * same name the first is used. A missing folder has no rules.
 */
export async function readRuleFiles(folders: readonly string[]): Promise<FoundRules> {
  const paths = (await Promise.all(folders.map(listRuleFiles))).flat();
  const found = await Promise.all(paths.map(readRule));
  const rules = new Map<string, StreamRule>();
  const problems: string[] = [];
  for (const rule of found) {
    if (typeof rule === "string") problems.push(rule);
    else if (rules.has(rule.name))
      problems.push(`The stream rule ${rule.path} is skipped: ${rules.get(rule.name)?.path} has the same name.`);
    else rules.set(rule.name, rule);
  }
  return { rules: [...rules.values()], problems };
}

async function listRuleFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => extname(name) === ".md" && !name.startsWith("."))
    .sort()
    .map((name) => join(folder, name));
}

/** The rule of a file, or the problem with it. */
async function readRule(path: string): Promise<StreamRule | string> {
  try {
    const text = (await readWhole(path, fileLimits.streamRule)).toString("utf8");
    const rule = await parseStreamRule(text, path);
    // Compiled alone first, so that an invalid trigger does not make the other rules fail.
    await PatternSet.compile([{ name: rule.name, pattern: rule.trigger }]);
    return rule;
  } catch (error) {
    if (error instanceof FileError) return `The stream rule ${path} cannot be used: ${error.reason}. Move it away.`;
    const { message } = error as Error;
    return message.includes(path) ? message : `The stream rule ${path} cannot be used: ${message}`;
  }
}
