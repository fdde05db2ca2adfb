import type { SessionHeader } from "../protocol/frames.ts";
import { type SessionEntry, sessionVersion } from "./entries.ts";

/** A JSON object as read from a file. */
export type RawRecord = Record<string, unknown>;

/** Converts the lines of one file to the current format, in their order. The same lines always give the same result. */
export interface Migration {
  header: SessionHeader;
  /** Entries that replace fields of an older header. */
  added: SessionEntry[];
  /** @param lineIndex - The entry's line, counted from 0 with the header. */
  migrateEntry(entry: RawRecord, lineIndex: number): RawRecord;
}

/** The readable formats. A file of format 1 has no version field. */
export type FormatVersion = 1 | 2 | 3;

/** @param header - The header as read from the file, with a string `id`. */
export function startMigration(header: RawRecord, version: FormatVersion): Migration {
  if (version === 1) return new LinearFile(header);
  return {
    header: toHeader(header),
    added: [],
    migrateEntry: version === 2 ? renameHookMessage : (entry) => entry,
  };
}

/**
 * Format 1: a list of entries without ids. A compaction refers to its first kept entry by line number, and the header has the first model and
 * level. The new ids are counters, not random, so that they are the same for each reading until the file is rewritten.
 */
class LinearFile implements Migration {
  readonly header: SessionHeader;
  readonly added: SessionEntry[] = [];
  /** The id of each line that is an entry. */
  readonly #idsByLine: (string | undefined)[] = [];
  #lastId: string | null = null;
  #count = 0;

  constructor(rawHeader: RawRecord) {
    const { provider, modelId, thinkingLevel, branchedFrom, ...rest } = rawHeader;
    this.header = toHeader(typeof branchedFrom === "string" ? { parentSession: branchedFrom, ...rest } : rest);
    if (typeof provider === "string" && typeof modelId === "string") this.#add({ type: "model_change", provider, modelId });
    if (typeof thinkingLevel === "string") this.#add({ type: "thinking_level_change", thinkingLevel });
  }

  migrateEntry(entry: RawRecord, lineIndex: number): RawRecord {
    const placed = this.#place(entry);
    this.#idsByLine[lineIndex] = placed.id;
    const renamed = renameHookMessage(placed);
    if (renamed.type !== "compaction" || typeof renamed.firstKeptEntryIndex !== "number") return renamed;
    const { firstKeptEntryIndex, ...compaction } = renamed;
    return { firstKeptEntryId: this.#firstIdFrom(firstKeptEntryIndex), ...compaction };
  }

  #add(content: RawRecord): void {
    this.added.push(this.#place({ ...content, timestamp: this.header.timestamp }) as unknown as SessionEntry);
  }

  /** An entry that already has an id and a parent keeps them; this happens if the header of a newer file was damaged. */
  #place(entry: RawRecord): RawRecord & { id: string } {
    this.#count += 1;
    const id = typeof entry.id === "string" ? entry.id : this.#count.toString(16).padStart(8, "0");
    const placed = { parentId: this.#lastId, ...entry, id };
    this.#lastId = id;
    return placed;
  }

  /** The id of the entry in a line, or of the next entry. */
  #firstIdFrom(lineIndex: number): string {
    return this.#idsByLine.find((id, index) => index >= lineIndex && id !== undefined) ?? "";
  }
}

function toHeader(header: RawRecord): SessionHeader {
  const { type, id, timestamp, cwd } = header;
  return {
    ...header,
    type,
    version: sessionVersion,
    id,
    timestamp: typeof timestamp === "string" ? timestamp : "",
    cwd: typeof cwd === "string" ? cwd : "",
  } as SessionHeader;
}

/** Up to format 2, the role of extension messages was `hookMessage`. */
function renameHookMessage(entry: RawRecord): RawRecord {
  const { message } = entry;
  if (typeof message !== "object" || message === null || !("role" in message) || message.role !== "hookMessage") return entry;
  return { ...entry, message: { ...message, role: "custom" } };
}
