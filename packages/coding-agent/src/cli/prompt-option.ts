import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fileLimits, readWholeSync, reasonOf } from "@pikit/ai/files/sync";
import { UsageError } from "../errors.ts";

/** Maximum characters of a path, as Linux has it; a longer text is no path. */
const maxPathLength = 4096;

/**
 * The text of `--system-prompt` or `--append-system-prompt`: the content of the file with that path if there is one, otherwise the text itself.
 *
 * @throws {UsageError} With exit code 1, when the file cannot be read.
 */
export function readPromptOption(value: string): string {
  if (value.length > maxPathLength || /[\0\n]/.test(value)) return value;
  const path = resolve(value);
  if (!isFile(path)) return value;
  try {
    return readWholeSync(path, fileLimits.argument)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
  } catch (cause) {
    throw new UsageError("unreadable_file", `Cannot read the prompt in ${path}: ${reasonOf(cause)}. Check its permissions.`);
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // no file has this name: it is the text of a prompt
  }
}
