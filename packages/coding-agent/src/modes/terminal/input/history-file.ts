import { closeSync, readSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { followLinks, makeFolder, openFileSync, replaceFile } from "@pikit/ai/files";
import { appendWhole } from "../../../conversation/append-whole.ts";
import { FileLock } from "../../../locks/file-lock.ts";

/** Maximum number of prompts that are read. */
export const maxPrompts = 1000;
/** Number of prompts in the file above which the oldest are removed. The difference saves rewriting the file with each prompt. */
const maxStored = 1100;
/** Maximum bytes of the file. Further bytes at its start are not read, and are removed with the next prompt. */
const maxBytes = 1024 * 1024;
/** Longer prompts are not stored. */
const maxPromptBytes = 64 * 1024;
/** Milliseconds to wait for another process that is writing the file. */
const lockWaitMs = 5000;

/** A file with one prompt per line, `{"text": …, "timestamp": …}`, which several processes append to. */
export class HistoryFile {
  readonly #path: string;
  #known: { version: string; prompts: readonly string[] } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the prompts, the latest last; those of a missing or unreadable file are none. Damaged lines are skipped. */
  read(): readonly string[] {
    const version = versionOf(this.#path);
    if (version === undefined) return [];
    if (this.#known?.version !== version) this.#known = { version, prompts: readEnd(this.#path).prompts };
    return this.#known.prompts.slice(-maxPrompts);
  }

  /**
   * Appends a prompt, unless it is the latest one in the file, or longer than 64 KB.
   *
   * @throws {LockedError} When another process has held the lock of the file for 5 seconds. {FileError} When the path is not a regular file.
   *   The system's error.
   */
  async append(text: string): Promise<void> {
    const line = `${JSON.stringify({ text, timestamp: Date.now() })}\n`;
    if (Buffer.byteLength(line) > maxPromptBytes) return;
    await makeFolder(dirname(this.#path), 0o700);
    const target = await followLinks(this.#path);
    const lock = await FileLock.wait(target, { waitMs: lockWaitMs });
    try {
      await addLine(target, text, line);
    } finally {
      lock.release();
    }
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

interface FileEnd {
  stats: Stats;
  size: number;
  /** The readable lines, and the prompts in them. */
  lines: string[];
  prompts: string[];
  endsWithinLine: boolean;
}

/** Reads at most the last `maxBytes` of the file. */
function readEnd(path: string, use: "read" | "record" = "read"): FileEnd {
  const { file, stats } = openFileSync(path, { use });
  try {
    const start = Math.max(0, stats.size - maxBytes);
    const bytes = Buffer.alloc(stats.size - start);
    const length = readSync(file, bytes, 0, bytes.length, start);
    const text = bytes.toString("utf8", 0, length);
    // The first line is a part of one, if the file is longer.
    const found = text
      .split("\n")
      .slice(start > 0 ? 1 : 0)
      .flatMap(readLine);
    return {
      stats,
      size: stats.size,
      lines: found.map(({ line }) => line),
      prompts: found.map(({ prompt }) => prompt),
      endsWithinLine: text !== "" && !text.endsWith("\n"),
    };
  } finally {
    closeSync(file);
  }
}

function readLine(line: string): { line: string; prompt: string }[] {
  try {
    const value: unknown = JSON.parse(line);
    const isPrompt = typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";
    return isPrompt ? [{ line, prompt: String(value.text) }] : [];
  } catch {
    return []; // blank, or damaged
  }
}

/** Changes when the file changes. */
function versionOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return undefined; // missing, or not readable
  }
}
