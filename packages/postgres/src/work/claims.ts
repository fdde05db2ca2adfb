import type { ClientBase } from "pg";
import type { JobWithMetadata } from "pg-boss";
import { inTransaction } from "../database/database.ts";
import { type Engine, inTransactionOf } from "./engine.ts";
import type { JobResult, StoredJob } from "./job.ts";

/** A job that this worker has. */
export interface Claim {
  id: string;
  stored: StoredJob;
  /** The number of the attempt, from 0. Together with the id it names the claim. */
  attempt: number;
  /** How many of the earlier attempts gave the job back. The others died. */
  returns: number;
}

/** The output of a job that will be tried again. */
interface Returned {
  returns: number;
  reason: string;
}

interface ClaimRow {
  job: string;
  attempt: number;
  returns: number;
}

/**
 * The jobs that workers have. pg-boss knows that a job is active; a row of `claims` says whose it is, so that the jobs of a worker are free as
 * soon as its lock is, which is when its process or its connection has ended.
 */
export class Claims {
  readonly #engine: Engine;
  readonly #owner: string;

  /** @param owner - The id of the worker's store. */
  constructor(engine: Engine, owner: string) {
    this.#engine = engine;
    this.#owner = owner;
  }

  /** Takes up to so many jobs that can run now. */
  take(count: number): Promise<Claim[]> {
    const { boss, database, queue } = this.#engine;
    // Not repeated after a lost connection: jobs that were taken without our knowledge are found by `sweep`.
    return database.transact(async (client) => {
      // Saves the wait for the disk. If the power fails before it is written, the job is free again; and it is written before the session is
      // opened, because that waits for the disk.
      await client.query("set local synchronous_commit = off");
      const options = { batchSize: count, includeMetadata: true, ...inTransactionOf(client) };
      const found = (await boss.fetch<StoredJob>(queue, options)) as JobWithMetadata<StoredJob>[];
      const claims = found.map(({ id, data, retryCount, output }) => ({
        ...{ id, stored: data, attempt: retryCount },
        returns: (output as Returned | null)?.returns ?? 0,
      }));
      if (claims.length > 0) await this.#insert(client, claims);
      return claims;
    });
  }

  #insert(client: ClientBase, claims: readonly Claim[]): Promise<unknown> {
    return client.query(
      `insert into ${this.#table} (job, queue, attempt, returns, owner)
       select job, $2, attempt, returns, $5 from unnest($1::uuid[], $3::integer[], $4::integer[]) as taken (job, attempt, returns)
       on conflict (job) do update set attempt = excluded.attempt, returns = excluded.returns, owner = excluded.owner`,
      [
        claims.map(({ id }) => id),
        this.#engine.queue,
        claims.map(({ attempt }) => attempt),
        claims.map(({ returns }) => returns),
        this.#owner,
      ],
    );
  }

  /** Ends a job with its result. Does nothing if the job was cancelled, or taken by another worker. */
  settle(claim: Claim, result: JobResult): Promise<void> {
    const { boss, queue } = this.#engine;
    return this.#end(claim, (db) => boss.complete(queue, attemptOf(claim), result, db));
  }

  /** Gives a job back, to be tried again after so many seconds by any worker. Later jobs of its session wait for it. */
  giveBack(claim: Claim, delaySeconds: number, reason: string): Promise<void> {
    const { boss, queue } = this.#engine;
    return this.#end(claim, async (db) => {
      const output: Returned = { returns: claim.returns + 1, reason };
      await boss.fail(queue, attemptOf(claim), output, db);
      if (delaySeconds > 0) await boss.update({ name: queue, options: { id: claim.id, startAfter: delaySeconds, ...db } });
    });
  }

  /** Drops the claim on a job that is not ours any more. */
  async forget(claim: Claim): Promise<void> {
    await this.#end(claim, async () => undefined);
  }

  /**
   * Frees the jobs of workers that have died, and those that this worker has taken without knowing it.
   *
   * @param running - The ids of the jobs that run here.
   * @returns The ids of those among them that are not ours any more, because they were cancelled or taken by another worker.
   */
  async sweep(running: readonly string[]): Promise<string[]> {
    const { database, schema, queue } = this.#engine;
    const orphans = await database.query<ClaimRow>(
      `select job, attempt, returns from ${this.#table} c
       where queue = $1 and case when owner = $2 then job <> all ($3::uuid[]) else owner in (${this.#deadOwners}) end`,
      [queue, this.#owner, running],
    );
    if (orphans.length > 0) await this.#free(orphans);
    if (running.length === 0) return [];
    const lost = await database.query<{ id: string }>(
      `select r.id from unnest($2::uuid[]) as r (id)
       where not exists (
         select 1 from ${this.#table} c join ${schema}.job j on j.name = $1 and j.id = c.job
         where c.job = r.id and c.owner = $3 and j.state = 'active' and j.retry_count = c.attempt)`,
      [queue, running, this.#owner],
    );
    return lost.map(({ id }) => id);
  }

  /** The owners of claims that are not alive. The lock is taken for the moment of the statement, as for sessions. */
  get #deadOwners(): string {
    const { database } = this.#engine;
    return `select claimed.owner from (select distinct owner from ${this.#table} where queue = $1 and owner <> $2) claimed
      left join ${database.schema}.owners o on o.id = claimed.owner
      where not coalesce(o.seen_at + o.lease > clock_timestamp() and not pg_try_advisory_xact_lock_shared(o.id), false)`;
  }

  async #free(orphans: readonly ClaimRow[]): Promise<void> {
    const { boss, database, queue } = this.#engine;
    // Jobs with the same data go together: usually all of them.
    const byReturns = Map.groupBy(orphans, ({ returns }) => returns);
    await database.use((client) =>
      inTransaction(client, async () => {
        for (const [returns, rows] of byReturns) {
          const output: Returned = { returns, reason: "The worker has died." };
          const attempts = rows.map(({ job, attempt }) => ({ id: job, retryCount: attempt }));
          await boss.fail(queue, attempts, output, inTransactionOf(client));
        }
        await client.query(
          `delete from ${this.#table} c using unnest($1::uuid[], $2::integer[]) as freed (job, attempt)
           where c.job = freed.job and c.attempt = freed.attempt`,
          [orphans.map(({ job }) => job), orphans.map(({ attempt }) => attempt)],
        );
      }),
    );
  }

  #end({ id, attempt }: Claim, settle: (db: ReturnType<typeof inTransactionOf>) => Promise<unknown>): Promise<void> {
    return this.#engine.database.use((client) =>
      inTransaction(client, async () => {
        await settle(inTransactionOf(client));
        await client.query(`delete from ${this.#table} where job = $1 and attempt = $2 and owner = $3`, [id, attempt, this.#owner]);
      }),
    );
  }

  get #table(): string {
    return `${this.#engine.database.schema}.claims`;
  }
}

function attemptOf({ id, attempt }: Claim): { id: string; retryCount: number } {
  return { id, retryCount: attempt };
}
