import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Instructions for agents that people keep beside their code. */
export interface ContextFile {
  path: string;
  text: string;
}

/** Names of such files; the first that a folder has is taken. */
const fileNames = ["AGENTS.md", "CLAUDE.md"];

/** The context files that apply to a folder: the user's own, then those of the parents, outermost first, and of the folder itself. */
export function readContextFiles(cwd: string, agentDir: string): ContextFile[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  const files: ContextFile[] = [];
  for (const folder of new Set([agentDir, ...folders])) {
    const file = readFirst(folder);
    if (file) files.push(file);
  }
  return files;
}

function readFirst(folder: string): ContextFile | undefined {
  for (const name of fileNames) {
    const path = join(folder, name);
    try {
      return { path, text: readFileSync(path, "utf8") };
    } catch {
      // Not there, or not readable: the next name, then the next folder.
    }
  }
  return undefined;
}
