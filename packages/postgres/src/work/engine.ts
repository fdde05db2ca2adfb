import { UsageError } from "@pikit/coding-agent/errors";
import type { ClientBase } from "pg";
import { type Db, PgBoss } from "pg-boss";
import type { Database } from "../database/database.ts";
import { operationError, reasonOf } from "../errors.ts";

/** Jobs of one session run in the order in which they were added. A job is known by its session. */
const policy = "key_strict_fifo";

const day = 24 * 60 * 60;

/** The engine of a queue: pg-boss, on connections of ours. */
export interface Engine {
  boss: PgBoss;
  database: Database;
  /** The name of the queue. */
  queue: string;
  /** The schema of pg-boss, quoted. */
  schema: string;
  /** The channel on which the server tells that a job was added. */
  channel: string;
}

/**
 * Starts pg-boss in a schema of its own, named after that of the sessions, and creates the queue.
 *
 * @param keepDays - Days for which a job is kept after its end.
 * @throws {SessionError} `write_failed`.
 */
export async function startEngine(database: Database, queue: string, keepDays: number): Promise<Engine> {
  const { schema: sessions, shown } = database.address;
  // pg-boss has this limit.
  if (sessions.length > 45)
    throw new UsageError("invalid_arguments", `The schema "${sessions}" is too long for a queue: at most 45 characters.`);
  const schema = `"${sessions}_work"`;
  const adapter = new BossDatabase(database);
  try {
    const boss = new PgBoss({
      ...{ db: adapter, schema, useListenNotify: true, schedule: false, registerInstance: false },
      // Many waiting jobs are no problem. The default is 10,000.
      warningQueueSize: 1_000_000,
    });
    boss.on("error", (error) => database.report(`The queue has a problem: ${reasonOf(error)}.`));
    boss.on("warning", ({ message }) => database.report(`The queue has a problem: ${message}.`));
    await boss.start();
    await boss.createQueue(queue, {
      policy,
      notify: true,
      // A worker that dies costs an attempt. The worker counts, because a job without attempts would hold up its session for ever.
      retryLimit: 1_000_000,
      retryDelay: 0,
      expireInSeconds: day,
      retentionSeconds: 365 * day,
      deleteAfterSeconds: keepDays * day,
    });
    return { boss, database, queue, schema, channel: adapter.channel };
  } catch (cause) {
    throw operationError("write_failed", `Cannot open the queue ${queue}`, shown, cause);
  }
}

/** The connections of pg-boss. */
class BossDatabase implements Db {
  readonly #database: Database;
  /** The channel that pg-boss listens on. */
  channel = "";

  constructor(database: Database) {
    this.#database = database;
  }

  executeSql(text: string, values?: unknown[]): ReturnType<Db["executeSql"]> {
    return this.#database.use(async (client) => {
      try {
        return await client.query(text, values);
      } catch (error) {
        // Several statements in one text may leave a transaction open.
        await client.query("rollback").catch(() => undefined);
        throw error;
      }
    });
  }

  /** Opens no connection, because workers listen by themselves; only the name of the channel is noted. */
  async listen(channel: string): Promise<{ close(): Promise<void> }> {
    this.channel = channel;
    return { close: async () => undefined };
  }
}

/** Lets pg-boss run its statements in a transaction of ours. */
export function inTransactionOf(client: ClientBase): { db: Db } {
  return { db: { executeSql: (text, values) => client.query(text, values) } };
}
