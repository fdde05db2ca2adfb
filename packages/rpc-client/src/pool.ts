import { AgentProcessError } from "./errors.ts";
import type { RpcClientOptions } from "./options.ts";
import { RpcClient } from "./rpc-client.ts";
import { Turn, WaitingLine, type WaitOptions } from "./waiting-line.ts";

/** The options of each agent and of the pool. */
export interface PoolOptions extends Omit<RpcClientOptions, "restart" | "maxRestarts" | "restartDelayMs"> {
  /** Maximum number of agents: acquired and warm ones together. */
  size: number;
  /**
   * Milliseconds after the last `acquire` until the pool stops its warm agents; the next `acquire` starts agents again. Default 300,000;
   * 0 keeps them running.
   */
  idleMs?: number;
  /** Timeout of the health check of a warm agent before `acquire` returns it, in milliseconds. Default 2,000. */
  healthCheckMs?: number;
}

export interface AcquireOptions extends WaitOptions {
  /** A session file to continue. Default: an empty session. */
  session?: string | undefined;
  /** Whether the lock of `session` is replaced when a process of another host or container, which has ended, holds it. Default false. */
  takeOverLock?: boolean | undefined;
}

/** The number of agents in each state, and of waiting `acquire` calls. */
export interface PoolState {
  busy: number;
  warm: number;
  starting: number;
  waiting: number;
}

/** Agents in `checking` and `stopping` are neither in use nor available. */
type Phase = "starting" | "warm" | "checking" | "busy" | "stopping";

const defaultIdleMs = 300_000;
const defaultHealthCheckMs = 2_000;
/** Milliseconds without warm-ups after a warm agent crashed or an agent could not be started; doubled after each further failure. */
const firstPauseMs = 250;
const maxPauseMs = 30_000;

/** Creates a pool and starts to warm up agents. */
export function createPool(options: PoolOptions): AgentPool {
  return new AgentPool(options);
}

/**
 * Keeps agents warm for a program that works on many sessions. Each agent is used once: the caller of `acquire` stops it, and a new one
 * replaces it, so that no data of a session reaches the next one.
 */
export class AgentPool {
  readonly #options: PoolOptions;
  readonly #clients = new Map<RpcClient, Phase>();
  readonly #line = new WaitingLine<RpcClient>();
  #isClosed = false;
  /** Whether there was no `acquire` for `idleMs`. */
  #isIdle = false;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Failures in a row, and the pause after the last one. */
  #failures = 0;
  #pause: NodeJS.Timeout | undefined;

  /** @throws {RangeError} When `size` is not a positive integer. */
  constructor(options: PoolOptions) {
    if (!Number.isInteger(options.size) || options.size < 1) {
      throw new RangeError(`The size of a pool must be a positive integer, but is ${options.size}.`);
    }
    this.#options = options;
    this.#noteUse();
    this.#update();
  }

  get state(): PoolState {
    const count = (...phases: Phase[]) => this.#clientsIn(...phases).length;
    return { busy: count("busy"), warm: count("warm", "checking"), starting: count("starting"), waiting: this.#line.length };
  }

  /**
   * Returns a started agent. The caller must `stop()` it; `await using agent = await pool.acquire()` does so at the end of the block. Calls
   * are served in their order.
   *
   * @throws {RpcTimeoutError} When no agent was free within `timeoutMs`.
   * @throws {RpcAbortError} When the signal was aborted.
   * @throws {AgentProcessError} When no agent can be started, or the pool is closed.
   * @throws {RpcCommandError} When the agent cannot open `session`.
   */
  async acquire(options: AcquireOptions = {}): Promise<RpcClient> {
    if (this.#isClosed) throw closedError();
    this.#noteUse();
    const turn = new Turn<RpcClient>("acquire", options);
    this.#line.join(turn);
    this.#update();
    const client = await turn.promise;
    const { session, takeOverLock, signal } = options;
    if (session === undefined) return client;
    try {
      await client.switchSession(session, {
        ...(takeOverLock === undefined ? {} : { takeOverLock }),
        ...(signal === undefined ? {} : { signal }),
      });
      return client;
    } catch (error) {
      await client.stop();
      throw error;
    }
  }

  /** Runs `work` with an agent and stops the agent afterwards, even if `work` fails. */
  async use<T>(work: (client: RpcClient) => T | Promise<T>, options: AcquireOptions = {}): Promise<T> {
    const client = await this.acquire(options);
    try {
      return await work(client);
    } finally {
      await client.stop();
    }
  }

  /** Stops every agent, including acquired ones, and rejects waiting `acquire` calls. Resolves when all processes are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#pause);
    for (let turn = this.#line.takeFirst(); turn !== undefined; turn = this.#line.takeFirst()) turn.fail(closedError());
    await Promise.all([...this.#clients.keys()].map((client) => client.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #clientsIn(...phases: Phase[]): RpcClient[] {
    return [...this.#clients].filter(([, phase]) => phases.includes(phase)).map(([client]) => client);
  }

  /** Gives warm agents to waiting calls, starts agents for the other waiting calls, and otherwise warms up one agent at a time. */
  #update(): void {
    if (this.#isClosed) return;
    for (const client of this.#clientsIn("warm").slice(0, this.#line.length)) void this.#handOut(client);
    const { waiting, starting } = this.state;
    for (let missing = waiting - starting; missing > 0 && this.#hasRoom; missing -= 1) this.#start();
    if (this.#isIdle || this.#pause !== undefined) return;
    if (this.#hasRoom && this.#clientsIn("starting").length === 0) this.#start();
  }

  get #hasRoom(): boolean {
    return this.#clients.size < this.#options.size;
  }

  async #handOut(client: RpcClient): Promise<void> {
    this.#clients.set(client, "checking");
    // The call leaves the line during the check, so that no other agent is given to it.
    const turn = this.#line.takeFirst();
    const timeoutMs = this.#options.healthCheckMs ?? defaultHealthCheckMs;
    const isHealthy = await client.getState({ timeoutMs }).then(
      () => true,
      () => false,
    );
    if (isHealthy) {
      this.#give(client, turn);
      return;
    }
    if (turn !== undefined) this.#line.putFirst(turn);
    this.#stop(client);
    this.#update();
  }

  /** Gives an agent to a waiting call. If the call no longer waits, the agent stays warm. */
  #give(client: RpcClient, turn: Turn<RpcClient> | undefined): void {
    this.#failures = 0;
    const isTaken = turn?.give(client) ?? false;
    this.#clients.set(client, isTaken ? "busy" : "warm");
    if (isTaken) this.#noteUse();
    this.#update();
  }

  #start(): void {
    const { size: _size, idleMs: _idleMs, healthCheckMs: _healthCheckMs, ...options } = this.#options;
    const client = new RpcClient({ ...options, restart: "never" });
    this.#clients.set(client, "starting");
    client.onExit((reason) => this.#onExit(client, reason));
    client.start().then(
      () => this.#onStarted(client),
      // onExit handles the error.
      () => undefined,
    );
  }

  /** A new agent needs no health check, because it has just responded. */
  #onStarted(client: RpcClient): void {
    if (this.#isClosed || this.#clients.get(client) !== "starting") return;
    const turn = this.#line.takeFirst();
    if (turn === undefined && this.#isIdle) this.#stop(client);
    else this.#give(client, turn);
  }

  #stop(client: RpcClient): void {
    if (this.#clients.has(client)) this.#clients.set(client, "stopping");
    void client.stop();
  }

  /** Removes an ended agent from the pool; the only place that does so. */
  #onExit(client: RpcClient, reason: AgentProcessError): void {
    const phase = this.#clients.get(client);
    this.#clients.delete(client);
    if (this.#isClosed) return;
    // A failed start rejects one waiting call; the next call tries again.
    if (phase === "starting") this.#line.takeFirst()?.fail(reason);
    if (phase === "starting" || phase === "warm") this.#pauseWarmUp();
    this.#update();
  }

  #pauseWarmUp(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(
      () => {
        this.#pause = undefined;
        this.#update();
      },
      Math.min(firstPauseMs * 2 ** this.#failures, maxPauseMs),
    );
    this.#pause.unref();
    this.#failures += 1;
  }

  #noteUse(): void {
    const { idleMs = defaultIdleMs } = this.#options;
    this.#isIdle = false;
    clearTimeout(this.#idleTimer);
    if (idleMs === 0) return;
    this.#idleTimer = setTimeout(() => this.#becomeIdle(), idleMs);
    this.#idleTimer.unref();
  }

  #becomeIdle(): void {
    this.#isIdle = true;
    for (const client of this.#clientsIn("warm")) this.#stop(client);
  }
}

function closedError(): AgentProcessError {
  return new AgentProcessError("stopped", "The pool is closed.");
}
