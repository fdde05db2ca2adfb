import type { AgentSession, CreateAgentSessionOptions, RecordStream, SessionStore } from "@pikit/coding-agent";
import { SessionError } from "@pikit/coding-agent/errors";
import { reasonOf } from "../errors.ts";
import type { Claim } from "./claims.ts";
import { guardStore } from "./guarded-store.ts";
import { type JobOptions, type JobOutcome, type JobResult, maxRunHours, readableText, readRequest } from "./job.ts";
import { addUsage, noUsage, type Usage, usageSince } from "./usage.ts";

/** A job as the worker's functions get it. */
export interface ClaimedJob {
  id: string;
  sessionId: string;
  key?: string;
  prompt: string;
  options: JobOptions;
  data?: object;
  /** The number of the attempt, from 0. */
  attempt: number;
}

/** The parts of a worker that a run of a job uses. */
export interface JobHost {
  store: SessionStore;
  /** The options of the session, which is created or opened with the id of the job's session. */
  optionsFor(job: ClaimedJob): CreateAgentSessionOptions | Promise<CreateAgentSessionOptions>;
  /** Called with the open session before its prompt. */
  onSession?(session: AgentSession, job: ClaimedJob): void;
  /** Keeps the events of the session until the result is ended. Absent: they are not kept. */
  keepEvents?(session: AgentSession, claim: Claim): Promise<RecordStream>;
  /** The number of workers that may die with the job before it fails. */
  maxDeaths: number;
}

/** The way in which an attempt has ended. */
export type Ending =
  | { type: "settled"; result: JobResult }
  /** To be tried again. */
  | { type: "returned"; delaySeconds: number; reason: string }
  /** The job is not ours any more. */
  | { type: "dropped" };

/** The reason for which a run is stopped from outside: the job is not ours any more, the worker ends, an entry cannot be stored. */
export type StopReason = "lost" | "worker ends" | "not stored" | "deadline";

/** Seconds until a job is tried again whose session is open elsewhere. */
const lockedDelay = 1;

/** Seconds until a job is tried again after a failure of the database. */
const failureDelay = 5;

/** One attempt to run a job: opens its session, tells the prompt or continues its run, and closes the session. */
export class JobRun {
  readonly claim: Claim;
  readonly #host: JobHost;
  readonly #controller = new AbortController();
  #stopped: StopReason | undefined;

  constructor(claim: Claim, host: JobHost) {
    this.claim = claim;
    this.#host = host;
  }

  /** Aborts the run. The first reason counts. */
  stop(reason: StopReason): void {
    this.#stopped ??= reason;
    this.#controller.abort();
  }

  /** Runs the job. Never rejects. */
  async run(): Promise<Ending> {
    const { attempt, returns, stored } = this.claim;
    const end = Math.min(stored.deadline === undefined ? Number.POSITIVE_INFINITY : Date.parse(stored.deadline), latestEnd());
    const deaths = attempt - returns;
    if (end <= Date.now() && attempt === 0) return this.#settled("expired", noUsage, "The deadline had passed before the start.");
    if (deaths >= this.#host.maxDeaths) {
      return this.#settled("failed", noUsage, `${deaths} workers have died while they ran this job. It is not tried again.`);
    }
    const timer = setTimeout(() => this.stop("deadline"), Math.max(0, end - Date.now()));
    try {
      return await this.#runInSession();
    } catch (error) {
      return this.#endingOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #runInSession(): Promise<Ending> {
    const request = readRequest(this.claim.stored);
    const job = toClaimedJob(this.claim, request);
    const store = guardStore(this.#host.store, () => this.stop("not stored"));
    const options = await this.#host.optionsFor(job);
    // Loaded by workers only: programs that add jobs do not need it.
    const { createAgentSession } = await import("@pikit/coding-agent");
    const session = await createAgentSession({ ...options, store, session: { id: job.sessionId } });
    let ending: Ending;
    let events: RecordStream | undefined;
    try {
      this.#host.onSession?.(session, job);
      events = await this.#host.keepEvents?.(session, this.claim);
      ending = await this.#tell(session, request);
    } catch (error) {
      ending = this.#endingOf(error);
    } finally {
      await events?.end();
      // Before the job ends, because the next job of the session may start elsewhere at once.
      await session.dispose();
    }
    const unsaved = session.history.unsavedReason;
    return unsaved === undefined || ending.type === "dropped"
      ? ending
      : { type: "returned", delaySeconds: failureDelay, reason: unsaved };
  }

  /** Sends the prompt, or continues its run if the session has it. */
  async #tell(session: AgentSession, { prompt, images = [] }: Request): Promise<Ending> {
    const { signal } = this.#controller;
    const { id } = this.claim;
    if (this.#stopped !== undefined) return this.#endingOf(undefined);
    if (session.history.hasPrompt(id)) {
      const run = await session.resume({ signal });
      await run?.settled;
      return this.#judge(session, await usageSince(session.history, id));
    }
    const before = session.stats();
    const run = await session.submit(prompt, { images, promptId: id, signal });
    await run.settled;
    return this.#judge(session, addUsage(session.stats(), before, -1));
  }

  #judge(session: AgentSession, usage: Usage): Ending {
    if (this.#stopped !== undefined) return this.#endingOf(undefined, usage, session);
    const last = session.messages.findLast(({ role }) => role === "user" || role === "assistant" || role === "toolResult");
    const limit = session.limits.reached;
    if (last?.role === "assistant" && last.stopReason !== "error" && last.stopReason !== "aborted") {
      return this.#settled("completed", usage, undefined, session);
    }
    if (limit !== undefined) return this.#settled("failed", usage, `The run has reached its limit: ${limit}.`, session);
    const error = last?.role === "assistant" ? last.errorMessage : undefined;
    return this.#settled("failed", usage, error ?? "The run was aborted.", session);
  }

  /** The ending after an error, or after `stop`. */
  #endingOf(error: unknown, usage = noUsage, session?: AgentSession): Ending {
    if (this.#stopped === "lost") return { type: "dropped" };
    if (this.#stopped === "worker ends") return { type: "returned", delaySeconds: 0, reason: "The worker has ended." };
    if (this.#stopped === "deadline") return this.#settled("expired", usage, "The deadline has passed.", session);
    const code = error instanceof SessionError ? error.code : undefined;
    if (code === "locked") return { type: "returned", delaySeconds: lockedDelay, reason: reasonOf(error) };
    if (this.#stopped === "not stored" || code === "read_failed" || code === "write_failed" || code === "disposed") {
      return { type: "returned", delaySeconds: failureDelay, reason: error ? reasonOf(error) : "An entry could not be stored." };
    }
    return this.#settled("failed", usage, reasonOf(error), session);
  }

  #settled(outcome: JobOutcome, { tokens, cost }: Usage, error?: string, session?: AgentSession): Ending {
    const { input, output, cacheRead, cacheWrite } = tokens;
    const answer = session?.lastAssistantText();
    const result: JobResult = {
      outcome,
      ...(error === undefined ? {} : { error: readableText(error) }),
      ...(answer === null || answer === undefined ? {} : { answer: readableText(answer) }),
      tokens: { input, output, cacheRead, cacheWrite },
      costUsd: cost,
    };
    return { type: "settled", result };
  }
}

type Request = ReturnType<typeof readRequest>;

function toClaimedJob({ id, attempt, stored: { sessionId, key } }: Claim, { prompt, options = {}, data }: Request): ClaimedJob {
  return {
    ...{ id, sessionId, prompt, options, attempt },
    ...(key === undefined ? {} : { key }),
    ...(data === undefined ? {} : { data }),
  };
}

/** The time at which pg-boss would take the job away. */
function latestEnd(): number {
  return Date.now() + maxRunHours * 60 * 60 * 1000;
}
