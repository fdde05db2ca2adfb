import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { FileError, fileLimits, readWhole } from "@pikit/ai/files";
import { parseStreamRule } from "./parse-rule.ts";
import { PatternSet } from "./pattern-set.ts";
import type { StreamRule } from "./rule.ts";

/** Rules from files, and what cannot be used of them. */
export interface FoundRules {
  rules: StreamRule[];
  /** One line for each file that is passed over. */
  problems: string[];
}

/**
 * Reads the stream rules of folders: their `*.md` files, by name. A file that cannot be used is passed over and said to be; of two rules
 * with one name the first stays. A missing folder has no rules.
 */
export async function readRuleFiles(folders: readonly string[]): Promise<FoundRules> {
  const paths = (await Promise.all(folders.map(listRuleFiles))).flat();
  const found = await Promise.all(paths.map(readRule));
  const rules = new Map<string, StreamRule>();
  const problems: string[] = [];
  for (const rule of found) {
    if (typeof rule === "string") problems.push(rule);
    else if (rules.has(rule.name))
      problems.push(`The stream rule ${rule.path} is passed over: ${rules.get(rule.name)?.path} has its name.`);
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

/** The rule of a file, or why it cannot be used. */
async function readRule(path: string): Promise<StreamRule | string> {
  try {
    const text = (await readWhole(path, fileLimits.streamRule)).toString("utf8");
    const rule = await parseStreamRule(text, path);
    // Compiled once more with the others; a faulty trigger must not take them along.
    await PatternSet.compile([{ name: rule.name, pattern: rule.trigger }]);
    return rule;
  } catch (error) {
    if (error instanceof FileError) return `The stream rule ${path} cannot be used: ${error.reason}. Move it away.`;
    const { message } = error as Error;
    return message.includes(path) ? message : `The stream rule ${path} cannot be used: ${message}`;
  }
}
