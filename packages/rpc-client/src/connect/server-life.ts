import { setTimeout as sleep } from "node:timers/promises";
import type { Signal } from "../abort-signal.ts";
import { Connection } from "../connection.ts";
import { AgentProcessError, RpcAbortError, RpcConnectionError } from "../errors.ts";
import { type Ask, shakeHands } from "../handshake.ts";
import type { Life, LifeHandlers } from "../life.ts";
import { defaultTimeoutMs } from "../options.ts";
import type { ResyncEvent, RpcEvent } from "../protocol-types.ts";
import { Resumption } from "../resumption.ts";
import { backoff } from "./backoff.ts";
import { ConnectFailure } from "./failure.ts";
import { loadSocket } from "./load-socket.ts";
import type { ConnectOptions } from "./options.ts";
import { ServerAddress } from "./server-address.ts";
import { ServerTransport, toError } from "./server-transport.ts";
import { SessionServer } from "./session-server.ts";
import type { SocketTarget } from "./socket.ts";

const defaultReconnectDelayMs = 250;

/** Connects to a session of a server, and disconnects. Lost connections are the matter of its transport. */
export class ServerLife implements Life {
  readonly #options: ConnectOptions;
  readonly #handlers: LifeHandlers;
  readonly #address: ServerAddress;
  readonly #server: SessionServer;
  readonly #clientId: string;
  readonly resumption: Resumption = new Resumption();
  readonly followsMoves = true;
  readonly isShared = true;
  /** The session of the latest connection. */
  #sessionId: string | undefined;
  #connection: Connection<ServerTransport> | undefined;
  /** The start in progress; its signal has the reason why it ends early. */
  #starting: AbortController | undefined;
  /** Whether this is the first start, after which the program adds its listeners. */
  #isFirstStart = true;
  /** Registers the tools, models and settings of this program after a restart of the server. */
  #restart: Promise<Connection> | undefined;
  #closedBy: AgentProcessError | undefined;
  /** Makes the ids of the commands unique among all clients. */
  readonly #idPrefix = crypto.randomUUID();
  #lastId = 0;

  /** @throws {TypeError} For an address that is not one of a server. */
  constructor(url: string, options: ConnectOptions, handlers: LifeHandlers) {
    this.#address = new ServerAddress(url);
    this.#server = new SessionServer(this.#address);
    this.#options = options;
    this.#handlers = handlers;
    this.#sessionId = options.sessionId;
    this.#clientId = options.clientId ?? this.#idPrefix;
  }

  get connection(): Connection | undefined {
    return this.#restart === undefined ? this.#connection : undefined;
  }

  get isStarted(): boolean {
    return this.#connection !== undefined || this.#starting !== undefined;
  }

  get closedBy(): AgentProcessError | undefined {
    return this.#closedBy;
  }

  nextId(): string {
    this.#lastId += 1;
    return `${this.#idPrefix}:${this.#lastId}`;
  }

  async start(signal: Signal | undefined): Promise<void> {
    if (this.isStarted) {
      throw new AgentProcessError("already_started", "The client is already connected; await stop() before start().");
    }
    if (signal?.aborted) throw new RpcAbortError("connect", signal.reason);
    const starting = new AbortController();
    this.#starting = starting;
    this.#closedBy = undefined;
    this.resumption.clear();
    const abort = () => starting.abort(new AgentProcessError("stopped", "The connection was aborted by its signal."));
    signal?.addEventListener("abort", abort);
    const { startTimeoutMs = defaultTimeoutMs } = this.#options;
    const timer =
      startTimeoutMs > 0 ? setTimeout(() => starting.abort(this.#startTimeout(startTimeoutMs)), startTimeoutMs) : undefined;
    try {
      await this.#open(starting.signal);
    } catch (error) {
      const reason = starting.signal.aborted ? (starting.signal.reason as AgentProcessError) : toStartError(error);
      if (this.#connection !== undefined) this.#connection.transport.end(reason);
      else if (this.#closedBy === undefined) this.#onClose(reason);
      throw signal?.aborted ? new RpcAbortError("connect", signal.reason) : (this.#closedBy ?? reason);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#starting = undefined;
    }
  }

  async stop(): Promise<void> {
    this.#starting?.abort(new AgentProcessError("stopped", "The client was stopped."));
    await this.#connection?.transport.stop();
  }

  async ready(command: string): Promise<Connection> {
    const connection = await (this.#restart ?? this.#connection);
    if (connection !== undefined) return connection;
    const text = `Cannot send "${command}": the client is not connected; await start() first.`;
    throw this.#closedBy ?? new AgentProcessError("not_started", text);
  }

  async #open(signal: AbortSignal): Promise<void> {
    const openSocket = await loadSocket();
    this.#sessionId ??= await this.#openSession(signal);
    signal.throwIfAborted();
    const opened = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => opened.reject(signal.reason));
    const { maxReconnects = Number.POSITIVE_INFINITY, reconnectDelayMs = defaultReconnectDelayMs } = this.#options;
    const { onFrame, onNoise } = this.#handlers;
    const connection = new Connection<ServerTransport>(
      (receiver) =>
        new ServerTransport(
          {
            openSocket,
            findTarget: (since) => this.#findTarget(since),
            server: this.#server,
            maxReconnects,
            reconnectDelayMs,
            onSession: (sessionId) => this.resumption.noteSession(sessionId),
            onOpen: (state) => {
              this.resumption.noteState(state);
              opened.resolve();
            },
          },
          receiver,
        ),
      {
        onFrame,
        onNoise,
        onEvent: (event) => this.#onEvent(event),
        onClose: (reason) => {
          opened.reject(reason);
          this.#onClose(reason);
        },
      },
    );
    this.#connection = connection;
    this.#handlers.onConnection(connection);
    await opened.promise;
    await this.#hand(connection);
  }

  /** Lets the events through: after the first start, when the program had the time to add its listeners. */
  async #hand(connection: Connection<ServerTransport>): Promise<void> {
    const isFirst = this.#isFirstStart;
    this.#isFirstStart = false;
    if (isFirst) setImmediate(() => connection.transport.release());
    else {
      connection.transport.release();
      if (this.#handlers.tools().length + this.#handlers.models().length > 0) await this.#setUp(connection);
    }
  }

  async #findTarget(since: string | undefined): Promise<SocketTarget> {
    const sessionId = this.resumption.sessionId ?? this.#sessionId ?? "";
    const stream = this.resumption.streamMode ?? this.#options.streamMode ?? "deltas";
    return this.#server.address.socket({ sessionId, stream, clientId: this.#clientId, since, token: await this.#findToken() });
  }

  async #findToken(): Promise<string> {
    const { token = "" } = this.#options;
    return (typeof token === "function" ? await token() : token).trim();
  }

  /** Begins or opens the session. Temporary failures are tried again until the signal is aborted. */
  async #openSession(signal: AbortSignal): Promise<string> {
    const key = crypto.randomUUID();
    const { create = {}, reconnectDelayMs = defaultReconnectDelayMs } = this.#options;
    for (let failures = 1; ; failures += 1) {
      const token = await this.#findToken();
      try {
        return await this.#server.address.openSession(create, { token, key, signal });
      } catch (error) {
        if (signal.aborted || !(error instanceof ConnectFailure)) throw error;
        if (this.#server.follow(error)) continue;
        const isGone = this.#server.leave() && error.status === undefined;
        if (!isGone && error.isFinalAtStart) throw error;
        await sleep(backoff(failures, reconnectDelayMs), undefined, { signal });
      }
    }
  }

  #onEvent(event: RpcEvent): void {
    this.#handlers.onEvent(event);
    if (event.type === "resync" && event.reason !== "start") this.#onResync(event);
  }

  #onResync({ reason, state }: ResyncEvent): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.resumption.noteState(state);
    if (reason === "epoch") this.#beginRestart(connection);
    // When this command is answered, the server has repeated the open questions.
    else this.#ask(connection)("get_state", {}).then(() => connection.transport.closeEndedQuestions(), ignore);
  }

  #beginRestart(connection: Connection<ServerTransport>): void {
    const restart = this.#setUp(connection).then(
      () => {
        if (this.#restart !== restart) return connection;
        this.#restart = undefined;
        this.#handlers.onRestart(new AgentProcessError("exited", restartText));
        return connection;
      },
      (error: Error) => {
        // Another restart of the server interrupted this one; it has begun its own.
        if (this.#restart !== restart || error instanceof RpcConnectionError) return this.ready("restart");
        connection.transport.end(new AgentProcessError("start_failed", `${setUpText}: ${error.message}`, { cause: error }));
        throw error;
      },
    );
    this.#restart = restart;
    restart.catch(ignore);
  }

  /** Registers the settings, models and tools of this program. */
  async #setUp(connection: Connection): Promise<void> {
    const settings = this.resumption.commands.filter(({ command }) => command !== "set_stream_mode");
    const state = await shakeHands(this.#ask(connection), {
      streamMode: "snapshots",
      settings,
      models: this.#handlers.models(),
      tools: this.#handlers.tools(),
    });
    this.resumption.noteState(state);
  }

  #ask(connection: Connection): Ask {
    const { startTimeoutMs: timeoutMs = defaultTimeoutMs } = this.#options;
    return (command, params) => connection.request(this.nextId(), command, params, { timeoutMs });
  }

  #onClose(reason: AgentProcessError): void {
    this.#sessionId = this.resumption.sessionId ?? this.#sessionId;
    this.#connection = undefined;
    this.#restart = undefined;
    this.#closedBy = reason;
    this.#handlers.onClose(reason);
  }

  #startTimeout(timeoutMs: number): AgentProcessError {
    const failure = this.#connection?.transport.lastFailure;
    const last = failure === undefined ? "." : `; the last failure: ${failure.message}`;
    return new AgentProcessError("start_timeout", `${this.#address} did not open the session within ${timeoutMs} ms${last}`);
  }
}

const restartText = "The server was restarted, or has closed and reopened the session.";
const setUpText = "The tools, models and settings of this client could not be registered again after a restart of the server";

function ignore(): void {}

function toStartError(error: unknown): AgentProcessError {
  if (error instanceof AgentProcessError) return error;
  if (error instanceof ConnectFailure) return toError(error);
  return new AgentProcessError("start_failed", `The connection could not be made: ${(error as Error).message}`, { cause: error });
}
