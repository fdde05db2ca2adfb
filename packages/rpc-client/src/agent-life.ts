import { setTimeout as sleep } from "node:timers/promises";
import type { Signal } from "./abort-signal.ts";
import { quoteStderr } from "./agent-process.ts";
import { Connection, type ConnectionHandlers } from "./connection.ts";
import { AgentProcessError, RpcAbortError, RpcTimeoutError } from "./errors.ts";
import { findCli } from "./find-cli.ts";
import { shakeHands } from "./handshake.ts";
import { defaultStopGraceMs, defaultTimeoutMs, type RpcClientOptions, toArguments } from "./options.ts";
import type { HostTool } from "./protocol-types.ts";
import { Resumption } from "./resumption.ts";

/** How long a process must live to end a row of crashes. Milliseconds. */
const stableMs = 60_000;
const defaultMaxRestarts = 5;
const defaultRestartDelayMs = 250;
const maxRestartDelayMs = 30_000;

export interface AgentLifeHandlers extends Omit<ConnectionHandlers, "onClose"> {
  /** A process was spawned; it is not ready yet. */
  onConnection: (connection: Connection) => void;
  /** Nobody can be talked to any more, or, after a crash, not until `onRestart`. */
  onClose: (reason: AgentProcessError) => void;
  /** The agent was started again after `crash`, and is ready. */
  onRestart: (crash: AgentProcessError) => void;
  /** The tools that a new process is told of. */
  tools: () => HostTool[];
}

/** Starts the agent, stops it, and starts it again after a crash if it is to. There is one process at a time. */
export class AgentLife {
  readonly #options: RpcClientOptions;
  readonly #handlers: AgentLifeHandlers;
  readonly resumption: Resumption = new Resumption();
  #connection: Connection | undefined;
  #isReady = false;
  /** Why there is no connection, once there was one. */
  #closedBy: AgentProcessError | undefined;
  /** The restart that is going on. */
  #restart: Promise<Connection> | undefined;
  #stopRestart: AbortController | undefined;
  #crashes = 0;
  #readySinceMs = 0;
  #lastId = 0;

  constructor(options: RpcClientOptions, handlers: AgentLifeHandlers) {
    this.#options = options;
    this.#handlers = handlers;
  }

  /** The connection that can be talked to now. */
  get connection(): Connection | undefined {
    return this.#restart === undefined ? this.#connection : undefined;
  }

  /** Whether there is an agent, or will be one without another `start`. */
  get isStarted(): boolean {
    return this.#connection !== undefined || this.#restart !== undefined;
  }

  /** Why nobody can be talked to, now and later. */
  get closedBy(): AgentProcessError | undefined {
    return this.#restart === undefined ? this.#closedBy : undefined;
  }

  /** Never repeats, so that a late answer cannot be taken for another one's. */
  nextId(): string {
    this.#lastId += 1;
    return `${this.#lastId}`;
  }

  /** @throws {AgentProcessError} When the agent cannot be started. */
  async start(signal: Signal | undefined): Promise<void> {
    if (this.isStarted) {
      throw new AgentProcessError("already_started", "The agent is already started; await stop() before starting it again.");
    }
    if (signal?.aborted) throw new RpcAbortError("start", signal.reason);
    this.#closedBy = undefined;
    this.#crashes = 0;
    this.resumption.clear();
    const abort = () => void this.#connection?.kill(() => new AgentProcessError("stopped", "The start of the agent was aborted."));
    signal?.addEventListener("abort", abort);
    try {
      await this.#open();
    } catch (error) {
      // A process that ended by itself has told already.
      if (this.#closedBy === undefined) this.#onClose(error as AgentProcessError);
      throw signal?.aborted ? new RpcAbortError("start", signal.reason) : error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** @returns when the process is gone. */
  async stop(): Promise<void> {
    this.#stopRestart?.abort();
    await this.#connection?.stop();
    await this.#restart?.catch(() => undefined); // It rejects because it was stopped.
  }

  /** Waits for a restart that is going on. @throws {AgentProcessError} When there is nobody to wait for. */
  async ready(command: string): Promise<Connection> {
    const connection = await (this.#restart ?? this.#connection);
    if (connection !== undefined) return connection;
    const text = `Cannot send "${command}": the agent is not started; await start() first.`;
    throw this.#closedBy ?? new AgentProcessError("not_started", text);
  }

  async #open(): Promise<Connection> {
    const connection = this.#spawn();
    const { startTimeoutMs: timeoutMs = defaultTimeoutMs, streamMode = "deltas" } = this.#options;
    try {
      const state = await shakeHands((command, params) => connection.request(this.nextId(), command, params, { timeoutMs }), {
        streamMode,
        settings: this.resumption.commands,
        tools: this.#handlers.tools(),
      });
      this.resumption.noteState(state);
      this.#isReady = true;
      this.#readySinceMs = performance.now();
      return connection;
    } catch (error) {
      if (error instanceof AgentProcessError && error.code !== "wrong_version") throw error;
      throw await connection.kill(() =>
        error instanceof AgentProcessError ? error : startError(error as Error, connection.stderrTail),
      );
    }
  }

  #spawn(): Connection {
    const { cliPath, runtime = process.execPath, cwd = process.cwd(), stopGraceMs = defaultStopGraceMs } = this.#options;
    const env = { ...process.env, ...this.#options.env };
    const command = findCli({ runtime, env, ...(cliPath === undefined ? {} : { cliPath }) });
    const args = toArguments(this.#options, this.resumption.sessionFile);
    const { onEvent, onFrame, onNoise, onConnection } = this.#handlers;
    const onClose = (reason: AgentProcessError) => this.#onClose(reason);
    const handlers = { onEvent, onFrame, onNoise, onClose };
    const connection = new Connection({ command, args, cwd, env, stopGraceMs }, handlers);
    this.#connection = connection;
    onConnection(connection);
    return connection;
  }

  #onClose(reason: AgentProcessError): void {
    this.#connection = undefined;
    this.#closedBy = reason;
    const wasReady = this.#isReady;
    this.#isReady = false;
    // The end of a process that was to replace another one is told to nobody but the restart.
    if (this.#restart !== undefined) return;
    if (wasReady && reason.code === "exited" && this.#options.restart === "on-crash") {
      if (performance.now() - this.#readySinceMs > stableMs) this.#crashes = 0;
      this.#stopRestart = new AbortController();
      this.#restart = this.#startAgain(reason, this.#stopRestart.signal);
      // Whoever waits for it is told; it may be nobody.
      this.#restart.catch(() => undefined);
    }
    this.#handlers.onClose(reason);
  }

  async #startAgain(crash: AgentProcessError, signal: Signal): Promise<Connection> {
    const { maxRestarts = defaultMaxRestarts, restartDelayMs = defaultRestartDelayMs } = this.#options;
    // Whoever hears of the crash and calls at once must find this restart, so it is kept before anything happens.
    await undefined;
    let last = crash;
    while (!signal.aborted && this.#crashes < maxRestarts) {
      const delayMs = Math.min(restartDelayMs * 2 ** this.#crashes, maxRestartDelayMs);
      this.#crashes += 1;
      try {
        await sleep(delayMs, undefined, { signal });
        const connection = await this.#open();
        this.#restart = undefined;
        this.#handlers.onRestart(crash);
        return connection;
      } catch (error) {
        if (!signal.aborted) last = error as AgentProcessError;
      }
    }
    const reason = signal.aborted ? new AgentProcessError("stopped", "The agent was stopped.") : gaveUp(last, maxRestarts);
    this.#restart = undefined;
    this.#closedBy = reason;
    this.#handlers.onClose(reason);
    throw reason;
  }
}

function gaveUp(last: AgentProcessError, restarts: number): AgentProcessError {
  const { exitCode, signal, stderrTail } = last;
  const text = `The agent crashed again after ${restarts} restarts and is not started any more; the last crash: ${last.message}`;
  return new AgentProcessError("gave_up", text, { cause: last, exitCode, signal, stderrTail });
}

function startError(cause: Error, stderrTail: string): AgentProcessError {
  const isLate = cause instanceof RpcTimeoutError;
  const what = isLate ? `gave no first answer within ${cause.timeoutMs} ms` : `could not be set up (${cause.message})`;
  const message = `The agent ${what} and was killed${quoteStderr(stderrTail)}`;
  return new AgentProcessError(isLate ? "start_timeout" : "start_failed", message, { cause, stderrTail });
}
