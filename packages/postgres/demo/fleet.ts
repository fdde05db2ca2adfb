import { setTimeout as wait } from "node:timers/promises";
import { openWorkQueue, type WorkQueue } from "@pikit/postgres/work";
import type { EndedJob, Facts, LedgerLine, ToldMessage } from "./facts.ts";
import { type Fault, planFaults } from "./faults.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { readLines, readSessions } from "./observe.ts";
import { createRandom } from "./random.ts";
import { createWorkplace, type Workplace } from "./setup.ts";
import { createTasks, promptOf, type Task } from "./tasks.ts";
import { WorkerProcesses } from "./worker-processes.ts";

export interface FleetOptions {
  sessions: number;
  workers: number;
  kills: number;
  stopSeconds: number;
  leaseSeconds: number;
  concurrency: number;
  /** The same seed gives the same tasks and the same faults, at about the same instants. */
  seed: number;
  /** The address of an empty database. */
  databaseUrl: string;
  /** Restarts the server of the database; undefined if that is not possible. */
  restartDatabase: (() => Promise<void>) | undefined;
  /** An empty folder. */
  folder: string;
  /** Ends the run early. */
  signal: AbortSignal;
  /** Called with one line for each thing that happens. */
  tell(line: string): void;
}

export interface FleetReport {
  facts: Facts;
  /** Problems of the run itself: workers that ended by themselves, or that did not end; prompts that took too long. */
  failures: string[];
}

/** Milliseconds between two looks at the progress. */
const lookMs = 20;

/** Seconds without progress after which the run is given up. */
const patienceSeconds = 180;

/** Jobs that are added at the same time. */
const batch = 50;

/** Runs a fleet of workers through all faults, until every prompt has ended. */
export async function runFleet(options: FleetOptions): Promise<FleetReport> {
  const { folder, seed, sessions, databaseUrl, leaseSeconds, concurrency } = options;
  const model = await startModelServer(seed);
  const workplace = createWorkplace(folder, model.url);
  const workers = new WorkerProcesses(workplace, { storeUrl: databaseUrl, leaseSeconds, concurrency });
  const queue = await openWorkQueue({ url: databaseUrl, report: options.tell });
  try {
    const tasks = createTasks(sessions, seed);
    const jobs = await enqueueAll(queue, tasks, workplace);
    options.tell(`${sessions} sessions have ${tasks.length} prompts in the queue.`);
    const run = new FleetRun(options, { tasks, model, workers, queue });
    const failures = await run.run();
    const facts = {
      ...{ tasks, answers: model.answers, disturbedWorkers: run.disturbed },
      told: readLines<ToldMessage>(workplace.toldFile),
      ledger: readLines<LedgerLine>(workplace.ledgerFile),
      sessions: await readSessions(databaseUrl),
      jobs: await readJobs(queue, jobs),
    };
    return { facts, failures: [...failures, ...workers.failures, ...model.problems] };
  } finally {
    workers.killAll();
    await queue.close();
    await model.close();
  }
}

/** Adds the job of each task. Those of one session are added one after another. @returns The id of each task's job. */
async function enqueueAll(queue: WorkQueue, tasks: readonly Task[], { cwd }: Workplace): Promise<Map<string, string>> {
  const jobs = new Map<string, string>();
  const bySession = [...Map.groupBy(tasks, ({ sessionId }) => sessionId).values()];
  for (let start = 0; start < bySession.length; start += batch) {
    await Promise.all(
      bySession.slice(start, start + batch).map(async (own) => {
        for (const task of own) {
          const options = { cwd, tools: [], contextFiles: false };
          const { id } = await queue.enqueue({ sessionId: task.sessionId, prompt: promptOf(task), key: task.id, options });
          jobs.set(task.id, id);
        }
      }),
    );
  }
  return jobs;
}

async function readJobs(queue: WorkQueue, jobs: ReadonlyMap<string, string>): Promise<EndedJob[]> {
  const ended: EndedJob[] = [];
  for (const [task, id] of jobs) {
    const job = await queue.find(id);
    ended.push({ task, state: job?.state ?? "missing", outcome: job?.result?.outcome });
  }
  return ended;
}

/** The parts of one run. */
interface FleetParts {
  tasks: readonly Task[];
  model: ModelServer;
  workers: WorkerProcesses;
  queue: WorkQueue;
}

/** One run: the workers, and what happens to them. */
class FleetRun {
  /** The workers that were killed or stopped, or that the restart of the database met. */
  readonly disturbed = new Set<string>();
  readonly #options: FleetOptions;
  readonly #parts: FleetParts;
  readonly #random: ReturnType<typeof createRandom>;
  readonly #pauses: Promise<void>[] = [];

  constructor(options: FleetOptions, parts: FleetParts) {
    this.#options = options;
    this.#parts = parts;
    this.#random = createRandom(options.seed + 1);
  }

  /** @returns The problems of the run itself. */
  async run(): Promise<string[]> {
    const { workers, tasks } = this.#parts;
    const { kills, seed, restartDatabase } = this.#options;
    for (let count = 0; count < this.#options.workers; count += 1) workers.start();
    const faults = planFaults({ prompts: tasks.length, kills, seed, hasRestart: restartDatabase !== undefined });
    for (const fault of faults) {
      if (!(await this.#reach(() => this.#done >= fault.after))) return [this.#stuck()];
      await wait(fault.delayMs);
      const failure = await this.#perform(fault);
      if (failure !== undefined) return [failure];
    }
    if (!(await this.#reach(() => this.#isEmpty()))) return [this.#stuck()];
    this.#options.tell("All prompts have ended.");
    await Promise.all(this.#pauses);
    return workers.end();
  }

  /** @returns Why the run cannot continue. */
  async #perform({ kind }: Fault): Promise<string | undefined> {
    if (kind === "restart") return this.#restart();
    const { workers } = this.#parts;
    const name = this.#random.pick(workers.active);
    if (name === undefined) return "All workers have ended, or are stopped.";
    this.disturbed.add(name);
    if (kind === "kill") {
      await workers.kill(name);
      this.#tell(`${name} is killed, and ${workers.start()} takes its place.`);
    } else {
      const { stopSeconds } = this.#options;
      workers.pause(name);
      this.#tell(`${name} is stopped for ${stopSeconds} s.`);
      const isOver = wait(stopSeconds * 1000, undefined, { signal: this.#options.signal }).catch(() => undefined);
      this.#pauses.push(
        isOver.then(() => {
          workers.resume(name);
          this.#tell(`${name} continues.`);
        }),
      );
    }
    return undefined;
  }

  async #restart(): Promise<undefined> {
    this.#tell("the database stops.");
    for (const name of this.#parts.workers.active) this.disturbed.add(name);
    await this.#options.restartDatabase?.();
    this.#tell("the database is back.");
  }

  /** The number of prompts that the model has answered to their end. */
  get #done(): number {
    const finals = this.#parts.model.answers.filter(({ isFinal }) => isFinal);
    return new Set(finals.map(({ task }) => task)).size;
  }

  async #isEmpty(): Promise<boolean> {
    const { waiting, running } = await this.#parts.queue.counts();
    return waiting + running === 0;
  }

  /** Waits until a condition is true. Returns false when nothing has happened for a long time, or when the run is to end. */
  async #reach(look: () => boolean | Promise<boolean>): Promise<boolean> {
    let answers = -1;
    let since = performance.now();
    while (!(await look())) {
      if (this.#options.signal.aborted) return false;
      const { length } = this.#parts.model.answers;
      if (length !== answers) since = performance.now();
      else if (performance.now() - since > patienceSeconds * 1000) return false;
      answers = length;
      await wait(lookMs);
    }
    return true;
  }

  #stuck(): string {
    if (this.#options.signal.aborted) return "The demo was interrupted.";
    return `Nothing has happened for ${patienceSeconds} s; ${this.#done} of ${this.#parts.tasks.length} prompts are answered.`;
  }

  #tell(line: string): void {
    this.#options.tell(`After ${String(this.#done).padStart(4)} prompts: ${line}`);
  }
}
