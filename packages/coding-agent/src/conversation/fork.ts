import { Conversation } from "./conversation.ts";
import { queueClearance } from "./queue-journal.ts";
import type { SessionStore } from "./session-store.ts";

/** Number of entries that are read and written at a time. */
const portion = 256;

export interface ForkOptions {
  /** The store of the new session. */
  store: SessionStore;
  source: Conversation;
  /** The last entry of the new session; null for no entries. */
  leafId: string | null;
  /** The working folder of the new session. */
  cwd: string;
  /** The id of the new session. Default: a new one. */
  id?: string | undefined;
}

/**
 * Creates a session with the path to one entry of another session, which is not changed. The entries keep their ids and labels. Queued
 * messages stay with the source.
 *
 * @throws {SessionError} `read_failed`, `write_failed`. The new session is then removed.
 */
export async function forkConversation({ store, source, leafId, cwd, id }: ForkOptions): Promise<Conversation> {
  const fork = Conversation.create(store, {
    cwd,
    ...(id === undefined ? {} : { id }),
    ...(source.isBegun ? { parentSession: source.ref } : {}),
  });
  try {
    const path = source.pathTo(leafId);
    for (let start = 0; start < path.length; start += portion) {
      await fork.adopt(await source.read(path.slice(start, start + portion)));
    }
    // Labels belong to the whole session: they may have been set, changed or removed on another branch.
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
