import { normalize } from "node:path";
import type { AgentMessage } from "@pikit/agent";
import type { CompactionDetails } from "../../protocol/data.ts";

/** Tools whose `path` is a file, and their kind of access. */
const fileTools: Readonly<Record<string, "read" | "modified">> = { read: "read", edit: "modified", write: "modified" };

type FileLists = Pick<CompactionDetails, "readFiles" | "modifiedFiles">;

/**
 * The files that tool calls in these messages read and modified. Files of earlier compactions come first. Failed calls and calls without
 * a result do not count.
 *
 * @param previous - The details of the previous compaction. Fields of unknown shape are ignored.
 */
export function collectFiles(messages: readonly AgentMessage[], previous: unknown): FileLists {
  const before = readDetails(previous);
  const read = new Set(before.readFiles);
  const modified = new Set(before.modifiedFiles);
  const succeeded = new Set<string>();
  for (const message of messages) if (message.role === "toolResult" && !message.isError) succeeded.add(message.toolCallId);
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "toolCall" || !succeeded.has(block.id) || !Object.hasOwn(fileTools, block.name)) continue;
      const path = block.arguments?.path;
      if (typeof path !== "string" || path.trim() === "") continue;
      addLast(fileTools[block.name] === "read" ? read : modified, normalize(path));
    }
  }
  return { readFiles: [...read].filter((path) => !modified.has(path)), modifiedFiles: [...modified] };
}

/** The details of a compaction entry. Another program may have written it, so fields of unknown shape are ignored. */
export function readDetails(details: unknown): CompactionDetails {
  const { readFiles, modifiedFiles, request } = (typeof details === "object" && details !== null ? details : {}) as Record<
    string,
    unknown
  >;
  return {
    readFiles: textsIn(readFiles),
    modifiedFiles: textsIn(modifiedFiles),
    ...(typeof request === "string" ? { request } : {}),
  };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Adds the value at the end, or moves it there. */
function addLast(set: Set<string>, value: string): void {
  set.delete(value);
  set.add(value);
}
