import { setImmediate as soon } from "node:timers/promises";
import type { SessionEntry } from "../../src/conversation/entries.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import type {
  OpenedSession,
  OpenOptions,
  SessionFilter,
  SessionInfo,
  SessionLog,
  SessionStore,
} from "../../src/conversation/session-store.ts";
import type { SessionHeader } from "../../src/protocol/frames.ts";

/** Sessions in memory that are there a moment later, as those of a database are. Fails when it is called before it has resolved. */
export class SlowStore implements SessionStore {
  readonly #memory = new MemorySessionStore();

  create(header: SessionHeader): SessionLog {
    return slowLog(this.#memory.create(header));
  }

  async open(ref: string, onEntry: (entry: SessionEntry) => void, options?: OpenOptions): Promise<OpenedSession> {
    await soon();
    const { header, log } = this.#memory.open(ref, (entry) => onEntry(copy(entry)), options);
    return { header: copy(header), log: slowLog(log) };
  }

  async list(filter?: SessionFilter): Promise<SessionInfo[]> {
    await soon();
    return this.#memory.list(filter);
  }

  async remove(ref: string): Promise<void> {
    await soon();
    this.#memory.remove(ref);
  }
}

function slowLog(log: SessionLog): SessionLog {
  let isAppending = false;
  return {
    ...log,
    async append(lines, recall) {
      if (isAppending) throw new Error("append was called before the last one had resolved");
      isAppending = true;
      const kept = copy(lines);
      try {
        await soon();
        await log.append(kept, recall);
        await soon();
      } finally {
        isAppending = false;
      }
    },
    async read(ids) {
      await soon();
      return copy(await log.read(ids));
    },
    async close() {
      await soon();
      await log.close();
    },
  };
}

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
