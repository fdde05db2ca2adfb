import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { ImageContent } from "@pikit/ai";
import { fileLimits, readStart, readWhole, reasonOf } from "@pikit/ai/files";
import { detectFileKind, kindHeadBytes } from "../../../tools/files/file-kind.ts";
import { joinPrompt } from "../../files-in-prompt.ts";
import { type PromptFile, toPromptFile } from "../../prompt-files.ts";

/** A prompt with the files that it mentions. */
export interface ExpandedPrompt {
  /** The text files, the facts about images, then the typed text. */
  text: string;
  images: ImageContent[];
  /** A line for each mentioned file that could not be added. */
  problems: string[];
}

/** Maximum number of files of one prompt. Further mentions stay as they are. */
const maxFiles = 50;
/** Maximum bytes of a text file, and of all. The model reads larger files in parts, with its tools. */
const maxTextBytes = 1024 * 1024;
const maxTotalBytes = 4 * 1024 * 1024;

/** `@name` or `@"name with spaces"`, not inside a word such as a mail address. */
const mentionPattern = /(?<![^\s([{"'`])@(?:"([^"\n]+)"|([^\s"]+))/g;
/** Punctuation that may belong to the sentence and not to the name. */
const sentenceEnd = /[.,;:!?)\]}'`]$/;

/**
 * Reads the files that a prompt mentions as `@name`. Text files are put before the text, as those of `@file` arguments of the command line are;
 * images become attachments. A name that is not a file stays as typed. A text that begins with `/` does not change, because it may call a
 * template.
 *
 * @param cwd - The folder of relative names.
 * @throws The reason of the abort signal.
 */
export async function expandFiles(typed: string, cwd: string, signal?: AbortSignal): Promise<ExpandedPrompt> {
  const result: ExpandedPrompt = { text: typed, images: [], problems: [] };
  if (typed.startsWith("/") || !typed.includes("@")) return result;
  const files = await findFiles(typed, cwd);
  const texts: string[] = [];
  let total = 0;
  for (const [path, { name, size }] of files) {
    signal?.throwIfAborted();
    const read = await readMentioned(name, path, size, maxTotalBytes - total, signal);
    if ("problem" in read) result.problems.push(`@${name} is not in the prompt: ${read.problem}.`);
    else {
      texts.push(read.text);
      if (read.image) result.images.push(read.image);
      else total += size;
    }
  }
  result.text = joinPrompt([...texts, typed]);
  return result;
}

interface FoundFile {
  name: string;
  size: number;
}

/** The mentioned files by their paths, in the order of the text. */
async function findFiles(typed: string, cwd: string): Promise<Map<string, FoundFile>> {
  const found = new Map<string, FoundFile>();
  for (const [, quoted, plain = ""] of typed.matchAll(mentionPattern)) {
    if (found.size >= maxFiles) break;
    for (const name of quoted === undefined ? namesIn(plain) : [quoted]) {
      const path = toPath(name, cwd);
      const stats = await stat(path).catch(() => undefined);
      if (stats?.isFile() && !found.has(path)) found.set(path, { name, size: stats.size });
      if (stats) break;
    }
  }
  return found;
}

/** The name, and the name without the punctuation at its end. */
function namesIn(plain: string): string[] {
  const names = [plain];
  for (let name = plain; sentenceEnd.test(name) && names.length < 5; ) {
    name = name.slice(0, -1);
    names.push(name);
  }
  return names.filter((name) => name !== "");
}

function toPath(name: string, cwd: string): string {
  return name.startsWith("~/") ? join(homedir(), name.slice(2)) : resolve(cwd, name);
}

async function readMentioned(
  name: string,
  path: string,
  size: number,
  textBytesLeft: number,
  signal: AbortSignal | undefined,
): Promise<PromptFile | { problem: string }> {
  try {
    const { bytes: head } = await readStart(path, kindHeadBytes);
    const isText = detectFileKind(head).kind === "text";
    if (isText && size > Math.min(maxTextBytes, textBytesLeft))
      return { problem: "it is too long; the model can read it in parts" };
    const file = await toPromptFile(name, await readWhole(path, isText ? maxTextBytes : fileLimits.image), signal);
    return file ?? { problem: "it is neither text nor an image" };
  } catch (error) {
    signal?.throwIfAborted();
    return { problem: reasonOf(error) };
  }
}
