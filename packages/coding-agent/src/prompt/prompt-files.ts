import { join } from "node:path";
import { fileLimits, isMissing } from "@pikit/ai/files/sync";
import { readText, reasonOf } from "./read-text.ts";

/** The texts of files that replace the built-in instructions, or add to the end of the system prompt. */
export interface PromptFileTexts {
  /** `SYSTEM.md`. Undefined without such a file. */
  instructions?: string;
  /** `APPEND_SYSTEM.md`. */
  append?: string;
}

/**
 * Reads `SYSTEM.md` and `APPEND_SYSTEM.md`: of each, the first that one of the folders has. Never rejects; a file that cannot be read is
 * reported.
 */
export async function readPromptFiles(folders: readonly string[], report: (problem: string) => void): Promise<PromptFileTexts> {
  const [instructions, append] = await Promise.all([
    readFirst(folders, "SYSTEM.md", report),
    readFirst(folders, "APPEND_SYSTEM.md", report),
  ]);
  return { ...(instructions === undefined ? {} : { instructions }), ...(append === undefined ? {} : { append }) };
}

async function readFirst(folders: readonly string[], name: string, report: (problem: string) => void): Promise<string | undefined> {
  for (const path of folders.map((folder) => join(folder, name))) {
    try {
      const { text, isCut } = await readText(path, fileLimits.contextFile);
      if (isCut) report(`Only the first ${fileLimits.contextFile / 1024} KB of ${path} are read. Shorten it.`);
      return text;
    } catch (error) {
      if (!isMissing(error)) report(`The prompt ${path} cannot be read: ${reasonOf(error)}.`);
    }
  }
  return undefined;
}
