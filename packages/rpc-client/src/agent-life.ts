import { setTimeout as sleep } from "node:timers/promises";
import type { Signal } from "./abort-signal.ts";
import { AgentProcess, quoteStderr } from "./agent-process.ts";
import { Connection } from "./connection.ts";
import { AgentProcessError, RpcAbortError, RpcTimeoutError } from "./errors.ts";
import { findCli } from "./find-cli.ts";
import { shakeHands } from "./handshake.ts";
import type { Life, LifeHandlers } from "./life.ts";
import { defaultStopGraceMs, defaultTimeoutMs, type RpcClientOptions, toArguments } from "./options.ts";
import { Resumption } from "./resumption.ts";
import type { TransportHandlers } from "./transport.ts";

/** Milliseconds that a process must run so that the count of crashes in a row starts again. */
const stableMs = 60_000;
const defaultMaxRestarts = 5;
const defaultRestartDelayMs = 250;
const maxRestartDelayMs = 30_000;

/** Starts, stops and, if configured, restarts the agent after a crash. There is one process at a time. */
export class AgentLife implements Life {
  readonly #options: RpcClientOptions;
  readonly #handlers: LifeHandlers;
  readonly resumption: Resumption = new Resumption();
  readonly isShared = false;
  #connection: Connection<AgentProcess> | undefined;
  #isReady = false;
  /** The reason why the last connection closed. */
  #closedBy: AgentProcessError | undefined;
  /** The restart in progress. */
  #restart: Promise<Connection> | undefined;
  #stopRestart: AbortController | undefined;
  #crashes = 0;
  #readySinceMs = 0;
  #lastId = 0;

  constructor(options: RpcClientOptions, handlers: LifeHandlers) {
    this.#options = options;
    this.#handlers = handlers;
  }

  get connection(): Connection | undefined {
    return this.#restart === undefined ? this.#connection : undefined;
  }

  get isStarted(): boolean {
    return this.#connection !== undefined || this.#restart !== undefined;
  }

  get closedBy(): AgentProcessError | undefined {
    return this.#restart === undefined ? this.#closedBy : undefined;
  }

  get followsMoves(): boolean {
    return this.#options.restart === "on-crash";
  }

  nextId(): string {
    this.#lastId += 1;
    return `${this.#lastId}`;
  }

  async start(signal: Signal | undefined): Promise<void> {
    if (this.isStarted) {
      throw new AgentProcessError("already_started", "The agent is already started; await stop() before starting it again.");
    }
    if (signal?.aborted) throw new RpcAbortError("start", signal.reason);
    this.#closedBy = undefined;
    this.#crashes = 0;
    this.resumption.clear();
    const abort = () =>
      void this.#connection?.transport.kill(() => new AgentProcessError("stopped", "The start of the agent was aborted."));
    signal?.addEventListener("abort", abort);
    try {
      await this.#open();
    } catch (error) {
      // A process that ended by itself has already called #onClose.
      if (this.#closedBy === undefined) this.#onClose(error as AgentProcessError);
      throw signal?.aborted ? new RpcAbortError("start", signal.reason) : error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async stop(): Promise<void> {
    this.#stopRestart?.abort();
    await this.#connection?.transport.stop();
    await this.#restart?.catch(() => undefined); // The stop makes it reject.
  }

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
        models: this.#handlers.models(),
        tools: this.#handlers.tools(),
      });
      this.resumption.noteState(state);
      this.#isReady = true;
      this.#readySinceMs = performance.now();
      return connection;
    } catch (error) {
      if (error instanceof AgentProcessError && error.code !== "wrong_version") throw error;
      const { transport } = connection;
      throw await transport.kill(() =>
        error instanceof AgentProcessError ? error : startError(error as Error, transport.stderrTail),
      );
    }
  }

  #spawn(): Connection<AgentProcess> {
    const { cliPath, runtime = process.execPath, cwd = process.cwd(), stopGraceMs = defaultStopGraceMs } = this.#options;
    const env = { ...process.env, ...this.#options.env };
    const command = findCli({ runtime, env, ...(cliPath === undefined ? {} : { cliPath }) });
    const args = toArguments(this.#options, this.resumption.sessionFile);
    const { onEvent, onFrame, onNoise, onConnection } = this.#handlers;
    const onClose = (reason: AgentProcessError) => this.#onClose(reason);
    const open = (receiver: TransportHandlers) => new AgentProcess({ command, args, cwd, env, stopGraceMs }, receiver);
    const connection = new Connection(open, { onEvent, onFrame, onNoise, onClose });
    this.#connection = connection;
    onConnection(connection);
    return connection;
  }

  #onClose(reason: AgentProcessError): void {
    this.#connection = undefined;
    this.#closedBy = reason;
    const wasReady = this.#isReady;
    this.#isReady = false;
    // Only #startAgain handles the end of a process that it has spawned.
    if (this.#restart !== undefined) return;
    if (wasReady && reason.code === "exited" && this.#options.restart === "on-crash") {
      if (performance.now() - this.#readySinceMs > stableMs) this.#crashes = 0;
      this.#stopRestart = new AbortController();
      this.#restart = this.#startAgain(reason, this.#stopRestart.signal);
      // `ready` rejects for waiting callers; without any, this is not an unhandled rejection.
      this.#restart.catch(() => undefined);
    }
    this.#handlers.onClose(reason);
  }

  async #startAgain(crash: AgentProcessError, signal: Signal): Promise<Connection> {
    const { maxRestarts = defaultMaxRestarts, restartDelayMs = defaultRestartDelayMs } = this.#options;
    // The caller stores this promise first, so that an onExit listener that sends a command waits for the restart.
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
  const text = `The agent crashed again after ${restarts} restarts and is not restarted again; last crash: ${last.message}`;
  return new AgentProcessError("gave_up", text, { cause: last, exitCode, signal, stderrTail });
}

function startError(cause: Error, stderrTail: string): AgentProcessError {
  const isLate = cause instanceof RpcTimeoutError;
  const what = isLate ? `gave no first answer within ${cause.timeoutMs} ms` : `could not be set up (${cause.message})`;
  const message = `The agent ${what} and was killed${quoteStderr(stderrTail)}`;
  return new AgentProcessError(isLate ? "start_timeout" : "start_failed", message, { cause, stderrTail });
}
