import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import type { Workplace } from "./setup.ts";

/** Seconds that a worker gets to end after SIGTERM. The example gives its runs 30. */
const endSeconds = 60;

/** A worker process. */
interface RunningWorker {
  name: string;
  child: ChildProcess;
  exited: Promise<unknown>;
  isStopped: boolean;
}

export interface WorkerSettings {
  storeUrl: string;
  leaseSeconds: number;
  concurrency: number;
}

/** The worker processes of the demo, each with a name of its own: `w1`, `w2`, … */
export class WorkerProcesses {
  readonly #workplace: Workplace;
  readonly #settings: WorkerSettings;
  readonly #running = new Map<string, RunningWorker>();
  #started = 0;
  /** The workers that ended by themselves, as sentences. */
  readonly failures: string[] = [];

  constructor(workplace: Workplace, settings: WorkerSettings) {
    this.#workplace = workplace;
    this.#settings = settings;
  }

  /** The names of the workers that run and are not stopped. */
  get active(): string[] {
    return [...this.#running.values()].filter(({ isStopped }) => !isStopped).map(({ name }) => name);
  }

  /** Starts a worker, and returns its name. */
  start(): string {
    this.#started += 1;
    const name = `w${this.#started}`;
    const { app, agentDir, cwd, toldFile, ledgerFile, logs } = this.#workplace;
    const { storeUrl, leaseSeconds, concurrency } = this.#settings;
    const log = openSync(join(logs, `${name}.log`), "a");
    // Without flags of its own, but with those of the demo: its test runs on the sources.
    const child = spawn(process.execPath, [...process.execArgv, join(app, "worker.mjs")], {
      cwd,
      stdio: ["ignore", log, log],
      env: {
        ...{ PATH: process.env.PATH, HOME: app, PI_CODING_AGENT_DIR: agentDir },
        ...{ PI_SESSION_STORE: storeUrl, PI_LEASE_SECONDS: String(leaseSeconds), PI_WORKER_CONCURRENCY: String(concurrency) },
        ...{ FLEET_WORKER: name, FLEET_TOLD: toldFile, FLEET_LEDGER: ledgerFile },
      },
    });
    const exited = once(child, "exit");
    const worker = { name, child, exited, isStopped: false };
    this.#running.set(name, worker);
    child.once("exit", (code, signal) => {
      if (this.#running.delete(name))
        this.failures.push(`${name} ended by itself (${code ?? signal}), see ${join(logs, name)}.log.`);
    });
    return name;
  }

  /** Kills a worker without warning. */
  async kill(name: string): Promise<void> {
    const worker = this.#take(name);
    worker.child.kill("SIGKILL");
    await worker.exited;
  }

  /** Stops a worker, as a machine without time for it does: its process exists, and does nothing. */
  pause(name: string): void {
    const worker = this.#find(name);
    worker.isStopped = true;
    worker.child.kill("SIGSTOP");
  }

  /** Lets a stopped worker run again. */
  resume(name: string): void {
    const worker = this.#find(name);
    worker.isStopped = false;
    worker.child.kill("SIGCONT");
  }

  /** Ends all workers as their administrator does. Resolves with the problems. */
  async end(): Promise<string[]> {
    const problems = await Promise.all(
      [...this.#running.keys()].map(async (name) => {
        const { child, exited } = this.#take(name);
        child.kill("SIGTERM");
        const impatience = setTimeout(() => child.kill("SIGKILL"), endSeconds * 1000);
        await exited;
        clearTimeout(impatience);
        return child.exitCode === 0 ? [] : [`${name} ended with ${child.exitCode ?? child.signalCode} after SIGTERM.`];
      }),
    );
    return problems.flat();
  }

  /** Kills all workers that are left, stopped ones too. */
  killAll(): void {
    for (const name of [...this.#running.keys()]) this.#take(name).child.kill("SIGKILL");
  }

  #find(name: string): RunningWorker {
    const worker = this.#running.get(name);
    if (!worker) throw new Error(`There is no worker ${name}.`);
    return worker;
  }

  /** Returns a worker whose end is expected from now on. */
  #take(name: string): RunningWorker {
    const worker = this.#find(name);
    this.#running.delete(name);
    return worker;
  }
}
