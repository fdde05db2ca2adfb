import { Conversation } from "./conversation.ts";
import { queueClearance } from "./queue-journal.ts";
import type { SessionStore } from "./session-store.ts";

/** Entries that are read and written at a time. */
const portion = 256;

export interface ForkOptions {
  /** Where the new session is kept. */
  store: SessionStore;
  source: Conversation;
  /** The last entry that the new session has; null for none. */
  leafId: string | null;
  /** The folder that tools of the new session work in. */
  cwd: string;
}

/**
 * A new session with the path to one entry of another, which is not changed: entries keep their ids, those on the path their labels.
 * Messages that wait in a queue stay with the source.
 *
 * @throws {SessionError} `read_failed`, `write_failed`. Nothing of the new session is left then.
 */
export async function forkConversation({ store, source, leafId, cwd }: ForkOptions): Promise<Conversation> {
  const fork = Conversation.create(store, { cwd, ...(source.isBegun ? { parentSession: source.ref } : {}) });
  try {
    const path = source.pathTo(leafId);
    for (let start = 0; start < path.length; start += portion) {
      await fork.adopt(await source.read(path.slice(start, start + portion)));
    }
    // Labels belong to the whole session: they may have been given, changed or taken away on another branch.
    for (const { id } of path) {
      const label = source.labels.get(id)?.label;
      if (label !== fork.labels.get(id)?.label) await fork.append({ type: "label", targetId: id, ...(label ? { label } : {}) });
    }
    const queued = fork.queued.map(({ queueId }) => queueId);
    if (queued.length > 0) await fork.append(queueClearance(queued));
    return fork;
  } catch (error) {
    await fork.close();
    await store.remove(fork.ref);
    throw error;
  }
}
