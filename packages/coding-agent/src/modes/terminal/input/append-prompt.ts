import { dirname } from "node:path";
import { followLinks, makeFolder, replaceFile } from "@pikit/ai/files";
import { appendWhole } from "../../../conversation/append-whole.ts";
import { FileLock } from "../../../locks/file-lock.ts";
import { maxBytes, maxPrompts, readEnd } from "./history-end.ts";

/** Number of prompts in the file above which the oldest are removed. The difference saves rewriting the file with each prompt. */
const maxStored = 1100;
/** Milliseconds to wait for another process that is writing the file. */
const lockWaitMs = 5000;

/**
 * Appends a prompt to the file of the history, unless it is the latest one there. `line` is the prompt as it is stored.
 *
 * @throws See `HistoryFile.append`.
 */
export async function appendPrompt(path: string, text: string, line: string): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  const target = await followLinks(path);
  const lock = await FileLock.wait(target, { waitMs: lockWaitMs });
  try {
    await addLine(target, text, line);
  } finally {
    lock.release();
  }
}

async function addLine(path: string, text: string, line: string): Promise<void> {
  const { stats, size, lines, prompts, endsWithinLine } = readEnd(path, "record");
  if (prompts.at(-1) === text) return;
  if (size + Buffer.byteLength(line) <= maxBytes && prompts.length < maxStored) {
    appendWhole(path, [endsWithinLine ? `\n${line}` : line], stats);
    return;
  }
  // So that not each further prompt writes the whole file again.
  const kept = withinBytes([...lines.slice(-(maxPrompts - 1)), line.trimEnd()], maxBytes / 2);
  await replaceFile(path, kept.map((each) => `${each}\n`).join(""), { isPrivate: true });
}

/** The last lines that fit. */
function withinBytes(lines: readonly string[], limit: number): readonly string[] {
  let bytes = 0;
  const start = lines.findLastIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > limit;
  });
  return lines.slice(start + 1);
}
