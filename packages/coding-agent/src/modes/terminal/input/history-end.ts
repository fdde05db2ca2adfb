import { closeSync, readSync, type Stats } from "node:fs";
import { openFileSync } from "@pikit/ai/files/sync";

/** Maximum number of prompts that are read. */
export const maxPrompts = 1000;
/** Maximum bytes of the file. Further bytes at its start are not read, and are removed with the next prompt. */
export const maxBytes = 1024 * 1024;

/** The end of the file of the history. */
interface FileEnd {
  stats: Stats;
  size: number;
  /** The readable lines, and the prompts in them. */
  lines: string[];
  prompts: string[];
  endsWithinLine: boolean;
}

/** Reads at most the last `maxBytes` of the file. */
export function readEnd(path: string, use: "read" | "record" = "read"): FileEnd {
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
