import { AgentProcessError } from "./errors.ts";
import type { RpcClientOptions } from "./options.ts";
import { RpcClient } from "./rpc-client.ts";
import { Turn, WaitingLine, type WaitOptions } from "./waiting-line.ts";

/** The options of each agent, and those of the pool. */
export interface PoolOptions extends Omit<RpcClientOptions, "restart" | "maxRestarts" | "restartDelayMs"> {
  /** How many agents there are at most, handed out and warm together. */
  size: number;
  /**
   * How long after an agent was last handed out the warm ones are stopped, in milliseconds; the next call of `acquire` warms up again.
   * Default 300,000; 0 keeps them.
   */
  idleMs?: number;
  /** How long a warm agent may take to show that it is alive before it is handed out, in milliseconds. Default 2,000. */
  healthCheckMs?: number;
}

export interface AcquireOptions extends WaitOptions {
  /** A session file to go on with. Default: an empty session. */
  session?: string | undefined;
}

/** How many agents are in which state, and how many calls of `acquire` wait. */
export interface PoolState {
  busy: number;
  warm: number;
  starting: number;
  waiting: number;
}

/** `checking` and `stopping` ones are neither at work nor to be had. */
type Phase = "starting" | "warm" | "checking" | "busy" | "stopping";

const defaultIdleMs = 300_000;
const defaultHealthCheckMs = 2_000;
/** How long nothing is warmed up after a warm agent crashed or one could not be started; doubled by each next time. Milliseconds. */
const firstPauseMs = 250;
const maxPauseMs = 30_000;

/** Makes a pool, which begins to warm up agents. */
export function createPool(options: PoolOptions): AgentPool {
  return new AgentPool(options);
}

/**
 * Keeps agents warm for a program that works on many sessions. An agent is handed out once: whoever has it stops it, and a fresh one takes
 * its place, so that nothing of a session reaches the next one.
 */
export class AgentPool {
  readonly #options: PoolOptions;
  readonly #clients = new Map<RpcClient, Phase>();
  readonly #line = new WaitingLine<RpcClient>();
  #isClosed = false;
  /** Nobody has asked for long. */
  #isIdle = false;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Failures in a row, and the pause after the last one. */
  #failures = 0;
  #pause: NodeJS.Timeout | undefined;

  /** @throws {RangeError} For a size that is no whole number from 1 on. */
  constructor(options: PoolOptions) {
    if (!Number.isInteger(options.size) || options.size < 1) {
      throw new RangeError(`The size of a pool must be a whole number from 1 on, but is ${options.size}.`);
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
   * Hands out a started agent. It is yours until you `stop()` it, as `await using agent = await pool.acquire()` does at the end of the
   * block. Whoever asks first is served first.
   *
   * @throws {RpcTimeoutError} When none was free within `timeoutMs`.
   * @throws {RpcAbortError} When the signal was aborted before.
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
    const { session, signal } = options;
    if (session === undefined) return client;
    try {
      await client.switchSession(session, signal === undefined ? {} : { signal });
      return client;
    } catch (error) {
      await client.stop();
      throw error;
    }
  }

  /** Works with an agent, and stops it afterwards, whatever happens. */
  async use<T>(work: (client: RpcClient) => T | Promise<T>, options: AcquireOptions = {}): Promise<T> {
    const client = await this.acquire(options);
    try {
      return await work(client);
    } finally {
      await client.stop();
    }
  }

  /** Stops every agent, those that are handed out too, and rejects whoever waits. @returns when all processes are gone. */
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

  /** Gives warm agents to who waits, starts as many as are missing, and warms up one at a time when nobody waits. */
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
    // Taken out of the line for the time of the check, so that nobody is served before.
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

  /** Whoever waited may have stopped to; then the agent stays warm. */
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
      // Told by onExit, too.
      () => undefined,
    );
  }

  /** It has just answered: no check. */
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

  /** The one place where an agent leaves the pool, however it ended. */
  #onExit(client: RpcClient, reason: AgentProcessError): void {
    const phase = this.#clients.get(client);
    this.#clients.delete(client);
    if (this.#isClosed) return;
    // Whoever waits for an agent that cannot be started is told; the next one tries again.
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
