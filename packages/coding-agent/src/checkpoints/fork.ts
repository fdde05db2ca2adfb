import { existsSync, linkSync } from "node:fs";
import { join } from "node:path";
import { makeFolderSync } from "@pikit/ai/files";
import { Journal } from "./journal.ts";
import { ObjectStore } from "./object-store.ts";
import type { ForkSource, KeptPlace } from "./place.ts";
import { hashesOf } from "./prune.ts";
import type { JournalRecord } from "./records.ts";

/**
 * Gives a fork the changes of its source up to the fork. Contents are shared by hard links, because they never change. Does nothing if the fork
 * has changes already, or shares no entry with the source.
 */
export async function adoptChanges(source: ForkSource, place: KeptPlace, journal: Journal, store: ObjectStore): Promise<void> {
  if (existsSync(journal.path)) return;
  const records = await new Journal(join(source.folder, "changes.ndjson")).read();
  const end = records.findIndex((record) => "time" in record && record.time > source.time);
  const shared = end < 0 ? records : records.slice(0, end);
  const isShared = (record: JournalRecord) => "entry" in record && record.entry !== null && place.positionOf(record.entry) >= 0;
  if (!shared.some(isShared)) return;
  const objects = new ObjectStore(join(source.folder, "objects"));
  makeFolderSync(store.folder, 0o700);
  for (const hash of new Set(shared.flatMap(hashesOf))) {
    if (!objects.has(hash) || store.has(hash)) continue;
    try {
      linkSync(join(objects.folder, hash), join(store.folder, hash));
    } catch {
      // Another file system, or one without hard links.
      const content = await objects.read(hash);
      if (content) await store.put(content);
    }
  }
  journal.replace(shared);
}
