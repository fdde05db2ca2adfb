import type { AgentSession, CreateAgentSessionOptions } from "@pikit/coding-agent";
import { UsageError } from "@pikit/coding-agent/errors";
import { reasonOf } from "../errors.ts";
import type { PostgresSessionStore } from "../store/postgres-store.ts";
import { type Claim, Claims } from "./claims.ts";
import { keepEvents, removeOldEvents } from "./event-rows.ts";
import type { JobResult } from "./job.ts";
import type { WorkQueue } from "./queue.ts";
import { type ClaimedJob, type Ending, type JobHost, JobRun } from "./run-job.ts";

export interface WorkerOptions {
  /** The store of the sessions, in the same schema as the queue. The caller closes it after the worker has stopped. */
  store: PostgresSessionStore;
  queue: WorkQueue;
  /** Maximum number of jobs that run at the same time. Default: 10. */
  concurrency?: number;
  /**
   * Megabytes (10^6 bytes) of resident memory of this process above which no further job is taken while one is running. The running ones may
   * still need more. Default: no limit.
   */
  maxMemoryMb?: number;
  /**
   * The options of the sessions: an object, which the options of a job override; or a function, whose result is used as it is. A function may
   * prepare the working folder, which must exist on the machine of the worker. Default: those of the job.
   */
  session?: CreateAgentSessionOptions | ((job: ClaimedJob) => CreateAgentSessionOptions | Promise<CreateAgentSessionOptions>);
  /** Called with each open session before its prompt, for example to subscribe to its events. */
  onSession?(session: AgentSession, job: ClaimedJob): void;
  /** Called after a job has ended, or was given back, with its result; undefined if it will be tried again. */
  onEnd?(jobId: string, result: JobResult | undefined): void;
  /**
   * Hours for which the events of runs, such as the deltas of answers, are kept as rows, so that `followEvents` can be used. Default: 0, they are
   * not kept. Rows that are older than the smallest number of all workers are removed.
   */
  keepEventsHours?: number;
  /** The number of workers that may die with a job before it fails. Default: 5. */
  maxDeaths?: number;
  /** Called with one line for a problem, such as a database that is away. Default: nothing. */
  report?(problem: string): void;
}

/** Milliseconds between two looks at the queue, for jobs whose time has come, and for those of workers that have died. */
const lookMs = 1_000;

/** Milliseconds between two removals of old events. */
const cleanUpMs = 10 * 60 * 1000;

/** Maximum number of jobs that are taken in one statement. */
const maxTaken = 50;

/**
 * Starts to run the jobs of a queue, until `stop`.
 *
 * Guarantees, besides those of the queue:
 * - Its jobs are free for others as soon as its process has ended, or after the lease of the store (15 seconds by default) if it was stopped or
 *   cut off. Another worker looks every second. A worker that was stopped and comes back cannot store anything in these sessions, and its
 *   runs are aborted at the first attempt.
 * - Tools are run only after the call is stored.
 *
 * @throws {UsageError} `invalid_arguments`.
 */
export function createWorker(options: WorkerOptions): Worker {
  const { concurrency = 10, maxMemoryMb, queue, store } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new UsageError("invalid_arguments", `The concurrency of a worker must be an integer from 1, but it is ${concurrency}.`);
  }
  if (maxMemoryMb !== undefined && !(maxMemoryMb > 0)) {
    throw new UsageError("invalid_arguments", `The memory of a worker must be more than 0 MB, but it is ${maxMemoryMb}.`);
  }
  const { address } = queue.engine.database;
  if (store.parts.database.address.schema !== address.schema) {
    throw new UsageError("invalid_arguments", `The store of a worker must be in the schema of its queue, ${address.schema}.`);
  }
  return new Worker(options, concurrency);
}

/** Runs jobs. Create it with `createWorker`. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #concurrency: number;
  readonly #claims: Claims;
  readonly #host: JobHost;
  readonly #runs = new Map<string, { run: JobRun; ended: Promise<void> }>();
  readonly #loop: Promise<void>;
  #isStopping = false;
  #wake = Promise.withResolvers<void>();
  #nextSweep = 0;
  #nextCleanUp = 0;
  #reported: string | undefined;

  constructor(options: WorkerOptions, concurrency: number) {
    this.#options = options;
    this.#concurrency = concurrency;
    const { store, queue, session = {}, onSession, keepEventsHours = 0, maxDeaths = 5 } = options;
    const { owner } = store.parts.presence;
    this.#claims = new Claims(queue.engine, owner);
    this.#host = {
      ...{ store, maxDeaths },
      ...(onSession && { onSession }),
      ...(keepEventsHours > 0 && { keepEvents: (session, claim) => keepEvents(queue.engine, owner, claim, session) }),
      optionsFor: typeof session === "function" ? session : (job) => ({ ...session, ...job.options }),
    };
    this.#loop = this.#work();
  }

  /** The number of jobs that run now. */
  get running(): number {
    return this.#runs.size;
  }

  /**
   * Takes no more jobs, waits for the running ones, and then aborts those that have not ended: other workers continue them. Safe to call twice.
   *
   * @param graceSeconds - Seconds to wait for running jobs. Default: 30.
   */
  async stop({ graceSeconds = 30 }: { graceSeconds?: number } = {}): Promise<void> {
    this.#isStopping = true;
    this.#wake.resolve();
    const timer = setTimeout(() => {
      for (const { run } of this.#runs.values()) run.stop("worker ends");
    }, graceSeconds * 1000);
    await this.#loop;
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
    clearTimeout(timer);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #work(): Promise<void> {
    const { store, queue } = this.#options;
    const stopListening = store.parts.presence.listen(queue.engine.channel, () => this.#wake.resolve());
    while (!this.#isStopping) {
      this.#wake = Promise.withResolvers();
      try {
        await store.parts.presence.ensure();
        await this.#sweep();
        await this.#takeAll();
        await this.#cleanUp();
        this.#reported = undefined;
      } catch (error) {
        this.#report(`The worker cannot take jobs: ${reasonOf(error)}.`);
      }
      const timer = setTimeout(this.#wake.resolve, this.#isStopping ? 0 : lookMs);
      await this.#wake.promise;
      clearTimeout(timer);
    }
    stopListening();
  }

  async #sweep(): Promise<void> {
    if (performance.now() < this.#nextSweep) return;
    this.#nextSweep = performance.now() + lookMs;
    for (const id of await this.#claims.sweep([...this.#runs.keys()])) this.#runs.get(id)?.run.stop("lost");
  }

  async #cleanUp(): Promise<void> {
    const { queue, keepEventsHours = 0 } = this.#options;
    if (keepEventsHours <= 0 || performance.now() < this.#nextCleanUp) return;
    this.#nextCleanUp = performance.now() + cleanUpMs;
    await removeOldEvents(queue.engine, keepEventsHours);
  }

  async #takeAll(): Promise<void> {
    for (;;) {
      const count = Math.min(this.#room, maxTaken);
      if (count === 0 || this.#isStopping) return;
      const claims = await this.#claims.take(count);
      for (const claim of claims) this.#start(claim);
      if (claims.length < count) return;
    }
  }

  /** The number of jobs that may be taken now. */
  get #room(): number {
    const { maxMemoryMb = Number.POSITIVE_INFINITY } = this.#options;
    // One job runs in any case: otherwise a worker whose memory does not shrink would do nothing any more.
    const most = process.memoryUsage.rss() > maxMemoryMb * 1_000_000 ? 1 : this.#concurrency;
    return Math.max(0, most - this.#runs.size);
  }

  #start(claim: Claim): void {
    const run = new JobRun(claim, this.#host);
    const ended = run
      .run()
      .then((ending) => this.#end(claim, ending))
      // The job stays ours without being run; the next sweep gives it back.
      .catch((error) => this.#report(`The end of the job ${claim.id} cannot be stored: ${reasonOf(error)}.`))
      .finally(() => {
        this.#runs.delete(claim.id);
        this.#wake.resolve();
      });
    this.#runs.set(claim.id, { run, ended });
  }

  async #end(claim: Claim, ending: Ending): Promise<void> {
    if (ending.type === "settled") await this.#claims.settle(claim, ending.result);
    else if (ending.type === "returned") await this.#claims.giveBack(claim, ending.delaySeconds, ending.reason);
    else await this.#claims.forget(claim);
    try {
      this.#options.onEnd?.(claim.id, ending.type === "settled" ? ending.result : undefined);
    } catch (error) {
      this.#report(`The function onEnd of the worker has failed: ${reasonOf(error)}.`);
    }
  }

  /** Reports each problem once in a row. Never throws. */
  #report(problem: string): void {
    if (problem === this.#reported) return;
    this.#reported = problem;
    this.#options.report?.(problem);
  }
}
