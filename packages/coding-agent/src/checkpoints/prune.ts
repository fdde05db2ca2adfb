import type { Journal } from "./journal.ts";
import type { ObjectStore } from "./object-store.ts";
import type { FileChange, JournalRecord, Stamp } from "./records.ts";

export interface PruneLimits {
  /** Maximum bytes of the contents. */
  maxTotalBytes: number;
  maxJournalBytes: number;
}

/** The part of a limit that is left after pruning, so that the next pruning is not soon. */
const keptPart = 0.7;

/**
 * Drops the oldest records until the rest is well within the limits, and then all contents that no record refers to. Nothing is lost if the
 * process is killed: contents without records are removed by the next pruning.
 *
 * @returns The bytes of the remaining contents.
 */
export async function pruneChanges(journal: Journal, store: ObjectStore, limits: PruneLimits): Promise<number> {
  const records = await journal.read();
  const sizes = new Map((await store.list()).map(({ hash, bytes }) => [hash, bytes]));
  const kept = new Set<string>();
  let contentBytes = 0;
  let journalBytes = 0;
  let first = records.length;
  for (; first > 0; first -= 1) {
    const record = records[first - 1] as JournalRecord;
    const hashes = new Set(hashesOf(record).filter((hash) => !kept.has(hash)));
    for (const hash of hashes) contentBytes += sizes.get(hash) ?? 0;
    journalBytes += JSON.stringify(record).length;
    if (contentBytes > keptPart * limits.maxTotalBytes || journalBytes > keptPart * limits.maxJournalBytes) break;
    for (const hash of hashes) kept.add(hash);
  }
  if (first > 0) journal.replace([...droppedRecord(records.slice(0, first)), ...records.slice(first)]);
  let left = 0;
  for (const [hash, bytes] of sizes) {
    if (kept.has(hash)) left += bytes;
    else store.remove(hash);
  }
  return left;
}

/** The record that stands for the dropped ones: the moment of the last of them. */
function droppedRecord(records: readonly JournalRecord[]): JournalRecord[] {
  const last = records.findLast((record): record is JournalRecord & Stamp => "time" in record);
  if (!last) return [];
  const { id, entry, turn, time } = last;
  return [{ type: "dropped", id, entry, turn, time }];
}

/** The contents that a record refers to. */
export function hashesOf(record: JournalRecord): string[] {
  const files: readonly FileChange[] = "files" in record ? record.files : [];
  return files.flatMap(({ before, after }) =>
    [before, after].flatMap((image) => (image.kind === "file" && image.isKept !== false ? [image.hash] : [])),
  );
}
