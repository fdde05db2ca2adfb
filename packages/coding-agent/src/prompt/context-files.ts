import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileLimits, isMissing } from "@pikit/ai/files/sync";
import { readText, reasonOf } from "./read-text.ts";

/** A file with instructions for agents, stored beside the code. */
export interface ContextFile {
  path: string;
  text: string;
}

/** The names of context files, in the order of reading within a folder. */
const fileNames = ["AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];
/** The name of a context file that replaces the others of its folder. */
const overrideName = "AGENTS.override.md";
/** Maximum bytes of one file. */
const maxFileBytes = fileLimits.contextFile;
/** Maximum bytes of all files together: some 50,000 tokens. */
const maxTotalBytes = 192 * 1024;

export interface ContextFileOptions {
  /** The working folder. */
  cwd: string;
  /** The folder of the user's own context file. */
  agentDir: string;
  /** Called for each file that exists but cannot be used, and for each file that is cut. */
  report(problem: string): void;
}

/**
 * Loads the context files for a folder: the user's own, then those of the parent folders, outermost first, and of the folder itself. If a file
 * occurs twice, by a link or as a copy, the first one counts. If all files together are too long, the nearest ones take precedence. Never
 * rejects.
 */
export async function loadContextFiles({ cwd, agentDir, report }: ContextFileOptions): Promise<ContextFile[]> {
  const folders = [...new Set([agentDir, ...foldersTo(cwd)])];
  const seen = new Set<string>();
  const files: ContextFile[] = [];
  for (const { path, text, realPath, problem } of (await Promise.all(folders.map(readFolder))).flat()) {
    if (problem !== undefined) report(problem);
    if (text.trim() === "" || seen.has(realPath) || seen.has(text)) continue;
    seen.add(realPath).add(text);
    files.push({ path, text });
  }
  const kept: ContextFile[] = [];
  let left = maxTotalBytes;
  for (const file of files.toReversed()) {
    const bytes = Buffer.byteLength(file.text);
    if (bytes > left) {
      report(`${file.path} is left out: the context files together are over ${maxTotalBytes / 1024} KB. Shorten them.`);
      continue;
    }
    left -= bytes;
    kept.unshift(file);
  }
  return kept;
}

/** Reads the context files of a folder: the one that replaces the others, if it has text, otherwise these. */
async function readFolder(folder: string): Promise<ReadFile[]> {
  const override = await read(join(folder, overrideName));
  if (override.text.trim() !== "") return [override];
  const others = await Promise.all(fileNames.map((name) => read(join(folder, name))));
  return override.problem === undefined ? others : [override, ...others];
}

/** The folders from the root to a folder. */
function foldersTo(cwd: string): string[] {
  const parent = dirname(cwd);
  return parent === cwd ? [cwd] : [...foldersTo(parent), cwd];
}

interface ReadFile extends ContextFile {
  realPath: string;
  problem?: string;
}

/** Reads a file; a missing file counts as empty. */
async function read(path: string): Promise<ReadFile> {
  const nothing = { path, text: "", realPath: path };
  try {
    const { text, size, isCut } = await readText(path, maxFileBytes);
    const file = { path, text, realPath: await realpath(path) };
    if (!isCut) return file;
    const limit = `${maxFileBytes / 1024} KB`;
    const note = `[Only the first ${limit} of this file are shown. Read the rest of it where it matters.]`;
    const problem = `Only the first ${limit} of ${path} are read; it has ${Math.ceil(size / 1024)} KB. Shorten it.`;
    return { ...file, text: `${text.trimEnd()}\n\n${note}`, problem };
  } catch (error) {
    if (isMissing(error)) return nothing;
    return { ...nothing, problem: `The context file ${path} cannot be read: ${reasonOf(error)}.` };
  }
}
