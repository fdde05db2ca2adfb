import type { Database } from "../database/database.ts";
import { Batcher } from "./batcher.ts";

/** Maximum number of sessions of a notification. */
const maxItems = 1000;

/** Bytes of a notification. PostgreSQL permits 8,000; an empty one means that any session may have changed. */
const maxBytes = 7_500;

/**
 * Notifies the listeners of all processes of appends, after they were committed.
 *
 * Notifications have transactions of their own: one that notifies has a lock of the whole server while it waits for the disk, so that no two
 * of them, of any process, can be written to the disk together. With disks of 3 ms, eight stores appended a third as much. One that only
 * notifies does not wait for the disk.
 */
export class Notices {
  readonly #notices: Batcher<string, void>;
  #last: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    const { schema } = database.address;
    this.#notices = new Batcher<string, void>({
      run: async (ids, deadline) => {
        const payload = JSON.stringify([...new Set(ids)]);
        await database.query("select pg_notify($1, $2)", [schema, Buffer.byteLength(payload) > maxBytes ? "" : payload], deadline);
        return ids.map(() => undefined);
      },
      maxItems,
      patienceMs: database.patienceMs,
    });
  }

  /** Notifies soon, together with others. Listeners look at the rows when a connection was lost, so a notification may be lost with it. */
  add(id: string): void {
    this.#last = this.#notices.add(id).catch(() => undefined);
  }

  /** Resolves when all notifications have left. */
  async settle(): Promise<void> {
    await this.#last;
  }
}
