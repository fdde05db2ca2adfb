import type { SessionEntry } from "./entries.ts";
import type { RawRecord } from "./migrate.ts";

/**
 * Parses a line as an entry; undefined if it is not a usable entry.
 *
 * @param migrate - Converts an entry to the current format; called only for usable entries.
 */
export function tryParseEntry(line: string, migrate: (entry: RawRecord) => RawRecord): SessionEntry | undefined {
  const raw = tryParseObject(line);
  if (!raw || !isUsable(raw)) return undefined;
  const value = migrate(raw);
  if (typeof value.id !== "string") return undefined;
  if (typeof value.parentId !== "string") value.parentId = null; // in place: copies would cost a fifth of the whole reading
  return value as unknown as SessionEntry;
}

export function tryParseObject(line: string): RawRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as RawRecord) : undefined;
  } catch {
    return undefined; // the caller reports the line
  }
}

/** Whether an entry has the fields that other code reads without a check. Unknown types need none. */
function isUsable(entry: RawRecord): boolean {
  switch (entry.type) {
    case "message":
      return isMessage(entry.message);
    case "custom_message":
      return isContent(entry.content);
    case "compaction":
    case "branch_summary":
      return typeof entry.summary === "string";
    case "model_change":
      return typeof entry.provider === "string" && typeof entry.modelId === "string";
    case "thinking_level_change":
      return typeof entry.thinkingLevel === "string";
    case "session_info":
      return entry.name === undefined || entry.name === null || typeof entry.name === "string";
    case "label":
      return (
        typeof entry.targetId === "string" && (entry.label === undefined || entry.label === null || typeof entry.label === "string")
      );
    default:
      return typeof entry.type === "string";
  }
}

function isMessage(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const message = value as RawRecord;
  switch (message.role) {
    case "user":
    case "custom":
    case "hookMessage":
      return isContent(message.content);
    case "assistant":
    case "toolResult":
      return isBlocks(message.content);
    case "bashExecution":
      return typeof message.command === "string" && typeof message.output === "string";
    case "branchSummary":
    case "compactionSummary":
      return typeof message.summary === "string";
    default:
      return typeof message.role === "string";
  }
}

function isContent(value: unknown): boolean {
  return typeof value === "string" || isBlocks(value);
}

function isBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every((block) => typeof block === "object" && block !== null);
}
