import { createHash, randomUUID } from "node:crypto";
import { UsageError } from "@pikit/coding-agent/errors";
import type { JobWithMetadata } from "pg-boss";
import { parseAddress } from "../database/address.ts";
import { Database } from "../database/database.ts";
import { operationError } from "../errors.ts";
import type { PostgresSessionStore } from "../store/postgres-store.ts";
import { type Engine, startEngine } from "./engine.ts";
import { type Job, type JobRequest, type JobResult, readRequest, type StoredJob, toStoredJob } from "./job.ts";

/** The database of a queue: its address, or a store, whose connections the queue uses then. The caller closes the store after the queue. */
export type WorkQueueDatabase =
  | {
      /** The address of the database, as for `PostgresSessionStore`. */
      url: string;
      store?: never;
      /** The schema of the sessions; that of the queue is named `<schema>_work`. Default: `?schema=` of the address, else `pikit`. */
      schema?: string;
      /** Maximum number of connections. Default: 2. */
      maxConnections?: number;
      /** Seconds for which a call waits for a database that is away. Default: 30. */
      patienceSeconds?: number;
      /** Called with one line for each problem in the background. Default: nothing. */
      report?(problem: string): void;
    }
  | { store: PostgresSessionStore; url?: never };

export type WorkQueueOptions = WorkQueueDatabase & {
  /** The name of the queue: letters, digits, `_`, `-`, `.` and `/`. Default: `jobs`. */
  name?: string;
  /** Days for which a job is kept after its end. Default: 30. */
  keepDays?: number;
};

/** The result of `enqueue`. */
export interface EnqueuedJob {
  id: string;
  sessionId: string;
  /** False: there was a job with this key already, and this is that one. */
  isNew: boolean;
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const queueNamePattern = /^[\w.\-/]{1,100}$/;

/**
 * Opens a queue of prompts, which is created with the first use. Any process may add jobs; `createWorker` runs them.
 *
 * Guarantees:
 * - A job that `enqueue` has confirmed is run until it has ended, whatever happens to workers and to the database, as long as the database
 *   keeps its data. It ends once: its result is stored once.
 * - Jobs of one session run one after another, in the order in which they were added. A job that waits for `startAfter` joins the others at that
 *   time. Jobs of different sessions run side by side.
 * - The prompt enters the session once. If its worker dies, another one continues the run; a run that was complete is not repeated. A tool
 *   call that was running gets the result "unknown", for the model to judge. Calls of the model are at-least-once: the answer that was
 *   streaming is lost, and asked for again.
 *
 * @throws {UsageError} `invalid_arguments`.
 * @throws {SessionError} `write_failed` when the database cannot be used.
 */
export async function openWorkQueue(options: WorkQueueOptions): Promise<WorkQueue> {
  const { name = "jobs", keepDays = 30 } = options;
  if (!queueNamePattern.test(name)) {
    throw new UsageError(
      "invalid_arguments",
      `"${name.slice(0, 100)}" cannot be the name of a queue: use 1 to 100 letters, digits, "_", "-", "." or "/".`,
    );
  }
  if (options.store) return new WorkQueue(await startEngine(options.store.parts.database, name, keepDays), undefined);
  const database = connect(options);
  try {
    return new WorkQueue(await startEngine(database, name, keepDays), database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function connect(options: Extract<WorkQueueDatabase, { url: string }>): Database {
  const { url, schema, maxConnections = 2, patienceSeconds = 30, report = () => undefined } = options;
  return new Database({ address: parseAddress(url, schema), maxConnections, patienceMs: patienceSeconds * 1000, report });
}

/** A queue of prompts. Create it with `openWorkQueue`. */
export class WorkQueue {
  readonly #engine: Engine;
  readonly #ownDatabase: Database | undefined;

  /**
   * @internal
   * @param ownDatabase - The connections that `close` closes.
   */
  constructor(engine: Engine, ownDatabase: Database | undefined) {
    this.#engine = engine;
    this.#ownDatabase = ownDatabase;
  }

  /** The name of the queue. */
  get name(): string {
    return this.#engine.queue;
  }

  /** @internal For workers. */
  get engine(): Engine {
    return this.#engine;
  }

  /**
   * Adds a job. When it has resolved, the job survives the end of all processes.
   *
   * @throws {UsageError} `invalid_session_id`, `invalid_arguments`.
   * @throws {SessionError} `invalid_input`; `write_failed`: the job may have been added. With a key it is safe to call again.
   */
  async enqueue(request: JobRequest): Promise<EnqueuedJob> {
    const [job] = await this.enqueueAll([request]);
    return job as EnqueuedJob;
  }

  /**
   * Adds many jobs, which is quicker than one by one. Several jobs of a session run in this order. After an error some may have been added.
   *
   * @returns The jobs in the order of the requests.
   * @throws Like `enqueue`. For an invalid request nothing is added.
   */
  async enqueueAll(requests: readonly JobRequest[]): Promise<EnqueuedJob[]> {
    const jobs = requests.map((request) => toNewJob(this.name, request));
    const enqueued: EnqueuedJob[] = [];
    for (const portion of inPortions(jobs)) enqueued.push(...(await this.#do("Cannot add jobs", () => this.#add(portion))));
    return enqueued;
  }

  async #add(jobs: readonly NewJob[]): Promise<EnqueuedJob[]> {
    const { boss, queue } = this.#engine;
    const added = new Set(await boss.insert(queue, [...jobs], { returnId: true }));
    const enqueued: EnqueuedJob[] = [];
    for (const job of jobs) {
      const { id, data } = job;
      // Not added: it is there already, by its key or because the statement was repeated after a lost connection.
      const existing = added.has(id) ? undefined : await this.#fetch(id);
      if (added.has(id)) enqueued.push({ id, sessionId: data.sessionId, isNew: true });
      else if (!existing)
        enqueued.push(...(await this.#add([job]))); // deleted meanwhile
      else enqueued.push({ id, sessionId: existing.data.sessionId, isNew: data.key === undefined });
    }
    return enqueued;
  }

  /** The id of the job with this key, whether there is one or not. */
  idOf(key: string): string {
    return idOf(this.#engine.queue, key);
  }

  /**
   * Finds a job by its id.
   *
   * @throws {SessionError} `read_failed`.
   */
  async find(id: string): Promise<Job | undefined> {
    if (!uuidPattern.test(id)) return undefined;
    const found = await this.#do("Cannot read the job", () => this.#fetch(id), "read_failed");
    return found && toJob(found);
  }

  /**
   * Lists the jobs of a session, in the order in which they were added.
   *
   * @param limit - Maximum number. Default: 1,000.
   * @throws {SessionError} `read_failed`.
   */
  async jobsOf(sessionId: string, limit = 1_000): Promise<Job[]> {
    const { boss, queue } = this.#engine;
    const found = await this.#do(
      "Cannot list the jobs",
      () => boss.findJobs<StoredJob>(queue, { key: sessionId, limit }),
      "read_failed",
    );
    return found.map(toJob);
  }

  /**
   * Cancels a job that has not ended. A job that waits is not run; a run is aborted within about a second, and its session keeps what was
   * said.
   *
   * @returns Whether the job was cancelled. False: there is no such job, or it has ended.
   * @throws {SessionError} `write_failed`.
   */
  async cancel(id: string): Promise<boolean> {
    const { boss, queue } = this.#engine;
    if (!uuidPattern.test(id)) return false;
    await this.#do("Cannot cancel the job", () => boss.cancel(queue, id));
    return (await this.find(id))?.state === "cancelled";
  }

  /** Counts the jobs of the queue that have not ended. */
  async counts(): Promise<{ waiting: number; running: number }> {
    const { database, queue, schema } = this.#engine;
    const [found] = await this.#do(
      "Cannot count the jobs",
      () =>
        database.query<{ waiting: string; running: string }>(
          `select count(*) filter (where state < 'active') as waiting, count(*) filter (where state = 'active') as running
           from ${schema}.job where name = $1 and state <= 'active'`,
          [queue],
        ),
      "read_failed",
    );
    return { waiting: Number(found?.waiting), running: Number(found?.running) };
  }

  /** Closes the queue and its own connections. Workers of this queue must be stopped first. Safe to call twice. */
  async close(): Promise<void> {
    await this.#engine.boss.stop({ graceful: false });
    await this.#ownDatabase?.close();
  }

  async #fetch(id: string): Promise<JobWithMetadata<StoredJob> | undefined> {
    const { boss, queue } = this.#engine;
    const [found] = await boss.findJobs<StoredJob>(queue, { id });
    return found;
  }

  async #do<T>(what: string, run: () => Promise<T>, code: "read_failed" | "write_failed" = "write_failed"): Promise<T> {
    try {
      return await run();
    } catch (cause) {
      throw operationError(code, what, this.#engine.database.address.shown, cause);
    }
  }
}

/** A job as pg-boss inserts it. */
interface NewJob {
  id: string;
  data: StoredJob;
  singletonKey: string;
  priority?: number;
  startAfter?: Date;
}

/** Maximum number of jobs, and characters of their requests, that are added in one statement. */
const portionSize = { jobs: 500, characters: 4 * 1024 * 1024 };

function toNewJob(queue: string, request: JobRequest): NewJob {
  const { key, priority, startAfter, sessionId = randomUUID() } = request;
  return {
    id: key === undefined ? randomUUID() : idOf(queue, key),
    data: toStoredJob(request, sessionId),
    singletonKey: sessionId,
    ...(priority === undefined ? {} : { priority }),
    ...(startAfter === undefined ? {} : { startAfter }),
  };
}

/** Cuts jobs in portions. Each has a session and an id once at most, because jobs of one statement have the same time and no order. */
function* inPortions(jobs: readonly NewJob[]): Generator<NewJob[]> {
  let portion: NewJob[] = [];
  let size = 0;
  let seen = new Set<string>();
  for (const job of jobs) {
    const length = job.data.request.length;
    const isFull = portion.length === portionSize.jobs || size + length > portionSize.characters;
    if (portion.length > 0 && (isFull || seen.has(job.id) || seen.has(job.singletonKey))) {
      yield portion;
      portion = [];
      size = 0;
      seen = new Set();
    }
    portion.push(job);
    size += length;
    seen.add(job.id).add(job.singletonKey);
  }
  if (portion.length > 0) yield portion;
}

/** A UUID that is the same for the same key; RFC 9562, version 8. */
function idOf(queue: string, key: string): string {
  const bytes = createHash("sha256")
    .update(JSON.stringify([queue, key]))
    .digest()
    .subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function toJob(found: JobWithMetadata<StoredJob>): Job {
  const { id, data, state, priority, createdOn, startAfter, startedOn, completedOn, output } = found;
  const { sessionId, key, deadline } = data;
  return {
    ...{ id, sessionId, state: stateOf(state), priority, createdAt: createdOn, startAfter, request: readRequest(data) },
    ...(key === undefined ? {} : { key }),
    ...(deadline === undefined ? {} : { deadline: new Date(deadline) }),
    ...(startedOn ? { startedAt: startedOn } : {}),
    ...(completedOn ? { endedAt: completedOn } : {}),
    ...(state === "completed" ? { result: output as JobResult } : {}),
  };
}

function stateOf(state: JobWithMetadata["state"]): Job["state"] {
  switch (state) {
    case "created":
    case "retry":
      return "waiting";
    case "active":
      return "running";
    case "cancelled":
      return "cancelled";
    default:
      return "ended";
  }
}
