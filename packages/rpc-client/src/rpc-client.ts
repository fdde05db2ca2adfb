import type { Signal } from "./abort-signal.ts";
import { AgentLife } from "./agent-life.ts";
import { callSafely } from "./call-safely.ts";
import type { ConnectOptions } from "./connect/options.ts";
import type { Connection, IncomingFrame, OutputListener } from "./connection.ts";
import { EndListeners } from "./end-listeners.ts";
import { type AgentProcessError, RpcAbortError, RpcTimeoutError } from "./errors.ts";
import { EventHub, type EventListener, type EventsOptions } from "./event-hub.ts";
import type { EventIterator } from "./event-queue.ts";
import { Flow } from "./flow.ts";
import { HostModels } from "./host-models.ts";
import { HostTools } from "./host-tools.ts";
import type { Life, LifeHandlers } from "./life.ts";
import { defaultTimeoutMs, type RpcClientOptions, type SendOptions } from "./options.ts";
import { orAborted } from "./or-aborted.ts";
import type {
  AgentMessage,
  BashResult,
  CommandData,
  CommandName,
  CommandParams,
  CompactionResult,
  EventName,
  RpcEvent,
} from "./protocol-types.ts";
import { type CommandOptions, split } from "./rpc-commands.ts";
import { RpcHost } from "./rpc-host.ts";
import { RunTracker } from "./run-tracker.ts";
import { streamText } from "./text-stream.ts";
import { type UiHandler, UiHandlers, type UiMethod } from "./ui-handlers.ts";

/** Options of a prompt. An abort of `signal` stops the run, even after the prompt was accepted. */
export type PromptOptions = CommandOptions<"prompt", "message">;

/** Options of a shell command. An abort of `signal` ends the command; its result then has `cancelled`. */
export interface BashOptions extends CommandOptions<"bash", "command"> {
  /** Receives the output while the command runs. Older agents send the output only in the result. */
  onOutput?: OutputListener;
}

const goneText = "The agent of this call is gone.";

/** Milliseconds that the agent may take to abort a run after its timeout. */
const abortGraceMs = 5000;

/** Commands without a timeout by default. */
const longCommands: ReadonlySet<CommandName> = new Set<CommandName>(["bash", "compact"]);

interface RequestExtras {
  onAnswer?: (after: number) => void;
  onOutput?: OutputListener | undefined;
}

/** The options that concern every client, whatever it speaks to. */
type CommonOptions = Pick<RpcClientOptions, "requestTimeoutMs" | "onNoise">;

/**
 * Starts an agent as a child process and speaks its protocol, or does so with a session of a server: see `connect`. Every method rejects with an `RpcError`: when the command fails
 * (`RpcCommandError`), when its timeout expires (`RpcTimeoutError`), or when the agent is not running or ends meanwhile
 * (`AgentProcessError`).
 */
export class RpcClient extends RpcHost {
  readonly #options: CommonOptions;
  readonly #life: Life;
  readonly #flow: Flow = new Flow(() => this.#events.isBehind);
  readonly #events: EventHub = new EventHub(() => this.#flow.update());
  readonly #runs = new RunTracker(() => this.#life.isShared);
  /** @internal */
  protected override readonly hostTools: HostTools = new HostTools({
    send: (frame) => this.#connection?.sendFrame(frame),
    isShared: () => this.#life.isShared,
  });
  /** @internal */
  protected override readonly hostModels: HostModels = new HostModels({
    send: (frame) => this.#connection?.sendFrame(frame),
    isShared: () => this.#life.isShared,
  });
  readonly #ui: UiHandlers = new UiHandlers({
    send: (frame) => this.#connection?.sendFrame(frame),
    isShared: () => this.#life.isShared,
  });
  readonly #exitListeners = new EndListeners();
  readonly #restartListeners = new EndListeners();
  /** The connection to the current agent, ready or not. */
  #connection: Connection | undefined;

  /** @internal */
  constructor(options: CommonOptions, createLife: (handlers: LifeHandlers) => Life);
  constructor(options?: RpcClientOptions);
  constructor(
    options: RpcClientOptions = {},
    createLife: (handlers: LifeHandlers) => Life = (handlers) => new AgentLife(options, handlers),
  ) {
    super();
    this.#options = options;
    this.#life = createLife({
      onConnection: (connection) => this.#onConnection(connection),
      onEvent: (event) => this.#onEvent(event),
      onFrame: (frame) => this.#onFrame(frame),
      onNoise: (line) => callSafely(() => options.onNoise?.(line)),
      onClose: (reason) => this.#onClose(reason),
      onRestart: (crash) => this.#restartListeners.call(crash),
      tools: () => this.hostTools.definitions,
      models: () => this.hostModels.definitions,
    });
  }

  /**
   * Connects to a session of a server that `pi serve` has started. The client works as one with a process of its own, with these differences:
   *
   * - The session lives on the server. `stop` closes the connection only; runs go on, and `start` connects again.
   * - A connection that is cut is made again, for as long as it takes, and loses nothing: each event comes once, in order, and each command
   *   runs once.
   * - If the server no longer holds what was missed, because it was too much or the server was restarted, the event `resync` replaces it.
   *   The first event of a client is a `resync`, too: it tells what is going on in the session.
   * - After a restart of the server, commands without a response reject with `outcome_unknown`, unless they only read; tools and settings of
   *   this client are registered again, and `onRestart` is called.
   * - Other clients may work with the same session. Questions and calls of tools for which this program has no handler are left to them.
   *
   * Listeners that are added directly after this call receive every event.
   *
   * @param url - The address of the server, such as `http://127.0.0.1:4711`.
   * @throws {AgentProcessError} `refused` with the reason of the server, `start_failed` when it is not reached, or `start_timeout`.
   * @throws {RpcAbortError} When the signal was aborted.
   */
  static async connect(url: string, options: ConnectOptions = {}): Promise<RpcClient> {
    const { ServerLife } = await import("./connect/server-life.ts");
    const client = new RpcClient(options, (handlers) => new ServerLife(url, options, handlers));
    await client.start(options.signal === undefined ? {} : { signal: options.signal });
    return client;
  }

  /**
   * Starts the agent. Resolves when the agent has sent its first response.
   *
   * @throws {AgentProcessError} When the agent cannot be found, ends at once, is not ready within `startTimeoutMs` (it is then killed), or
   *   has another version of the protocol. `already_started` when it is running; after a crash or a finished `stop` it can be started again.
   * @throws {RpcAbortError} When the signal was aborted; the process is then gone.
   */
  async start({ signal }: { signal?: Signal } = {}): Promise<void> {
    await this.#life.start(signal);
  }

  /**
   * Ends the agent: closes its stdin, so that it aborts its run, saves the session and exits; sends SIGTERM after `stopGraceMs`, and SIGKILL
   * to its process group after another `stopGraceMs`. Open calls reject with `stopped`. May be called at any time and repeatedly. Resolves
   * when the process is gone. A client of a server closes its connection; the session lives on.
   */
  async stop(): Promise<void> {
    await this.#life.stop();
  }

  /** `await using client = new RpcClient()` stops the agent at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** @internal */
  protected override get isStarted(): boolean {
    return this.#life.isStarted;
  }

  async send<N extends CommandName>(name: N, params: CommandParams<N>, options: SendOptions = {}): Promise<CommandData<N>> {
    return (await this.#request(name, params, options)) as CommandData<N>;
  }

  /**
   * Starts a run. Resolves when the agent has accepted the prompt; the run itself, including failures of the model, is reported by events.
   */
  async prompt(message: string, options: PromptOptions = {}): Promise<void> {
    const { signal } = options;
    if (signal === undefined) {
      await this.#runs.prompt((onAnswer) => this.#sendPrompt(message, options, onAnswer));
      return;
    }
    // The signal stays in effect until the run has settled.
    const accepted = Promise.withResolvers<void>();
    const run = this.#stoppable("prompt", signal, () =>
      this.#runs.promptAndWait((onAnswer) => {
        const sent = this.#sendPrompt(message, options, onAnswer);
        sent.then(accepted.resolve, accepted.reject);
        return sent;
      }),
    );
    run.catch(accepted.reject);
    await accepted.promise;
  }

  /**
   * Starts a run and waits until it has settled, including retries and compactions.
   *
   * @param options - `timeoutMs` limits the whole run, not only its acceptance. Default: 0, no timeout.
   * @returns All messages that the run added to the conversation. A run that failed or was aborted ends with an assistant message with that
   *   `stopReason`; this call does not reject for it.
   * @throws {RpcTimeoutError} When the run did not end within `timeoutMs`. The run was then aborted.
   */
  async promptAndWait(message: string, options: PromptOptions = {}): Promise<AgentMessage[]> {
    return await this.#bounded(options, (rest) => {
      const run = () => this.#runs.promptAndWait((onAnswer) => this.#sendPrompt(message, rest, onAnswer));
      return this.#stoppable("prompt", options.signal, () => this.#flow.whileAwaiting(run));
    });
  }

  /**
   * Starts a run and yields the text of its answers while they arrive, with an empty line between two texts. The run starts with the first
   * `next()`; leaving the loop early aborts it. `timeoutMs` works as in `promptAndWait`.
   *
   * @throws {RpcRunError} When the run failed after its prompt was accepted. After an abort the iteration ends without an error.
   */
  text(message: string, options: PromptOptions = {}): AsyncGenerator<string, void, undefined> {
    return streamText({
      listen: () => this.#events.iterate({}, this.#life.closedBy),
      run: (onSettled) =>
        this.#bounded(options, (rest) => {
          const send = (onAnswer: (after: number) => void) => this.#sendPrompt(message, rest, onAnswer);
          return this.#stoppable("prompt", options.signal, () => this.#runs.promptAndWait(send, onSettled));
        }),
      abort: () => this.abort(),
    });
  }

  /** Runs a shell command in the agent's folder; the model gets its output with the next prompt. No timeout by default. */
  async bash(command: string, options: BashOptions = {}): Promise<BashResult> {
    const { onOutput, ...rest } = options;
    const [params, { signal, ...sendOptions }] = split(rest);
    const run = () => this.#request("bash", { ...params, command }, sendOptions, { onOutput });
    return (await this.#stoppable("bash", signal, run)) as BashResult;
  }

  /** Replaces the older part of the conversation with a summary. No timeout by default. An abort of `signal` stops it, and the call rejects. */
  override async compact(options: CommandOptions<"compact"> = {}): Promise<CompactionResult> {
    const { signal, ...rest } = options;
    return await this.#stoppable("compact", signal, () => super.compact(rest));
  }

  /**
   * Calls `listener` with every event, or with every event of one type; restarts of the agent do not end the subscription. `message` and
   * `partial` always hold the complete message so far. Listeners share the event objects: do not change them.
   *
   * @returns A function that ends the subscription.
   */
  onEvent(listener: EventListener): () => void;
  onEvent<N extends EventName>(type: N, listener: EventListener<N>): () => void;
  onEvent(first: unknown, second?: unknown): () => void {
    if (typeof first === "function") return this.#events.listen(first as EventListener);
    const listener = second as EventListener;
    return this.#events.listen((event) => {
      if (event.type === first) listener(event);
    });
  }

  /**
   * Iterates the events from this call on, until the client is stopped. Throws an `AgentProcessError` when the agent ends in another way, even
   * if it is restarted. Unread events are buffered. When more than `maxWaiting` are unread, the client stops reading the agent's output until
   * the reader has caught up, except while a call of this client waits for its response. Leave the loop when you need no more events.
   */
  events(options: EventsOptions = {}): EventIterator<RpcEvent> {
    return this.#events.iterate(options, this.#life.closedBy);
  }

  /**
   * Calls `listener` whenever the agent ends, with the code `stopped`, `exited`, `gave_up`, or the code of a failed start. For a client of a
   * server, this is the end of the connection, not of the session; connections that are made again are not reported.
   */
  onExit(listener: (reason: AgentProcessError) => void): () => void {
    return this.#exitListeners.add(listener);
  }

  /**
   * Calls `listener` with the error of the crash when the agent was restarted and is ready. For a client of a server: when the server was
   * restarted, or has closed and reopened the session; the event `resync` with the reason `epoch` came before.
   */
  onRestart(listener: (crash: AgentProcessError) => void): () => void {
    return this.#restartListeners.add(listener);
  }

  protected override setUiHandler<M extends UiMethod>(method: M, handler: UiHandler<M>): () => void {
    return this.#ui.set(method, handler);
  }

  #sendPrompt(message: string, options: PromptOptions, onAnswer: (after: number) => void): Promise<void> {
    const [params, { signal: _, ...sendOptions }] = split(options);
    return this.#request("prompt", { ...params, message }, sendOptions, { onAnswer }).then(() => undefined);
  }

  /**
   * Waits for a run, including its acceptance, at most `timeoutMs`; then aborts the run.
   *
   * @throws {RpcTimeoutError} When the timeout expired.
   */
  async #bounded<T>(options: PromptOptions, run: (rest: PromptOptions) => Promise<T>): Promise<T> {
    const { timeoutMs = 0 } = options;
    if (timeoutMs <= 0) return await run(options);
    const expiry = Promise.withResolvers<void>();
    const timer = setTimeout(expiry.resolve, timeoutMs);
    // The timer must not keep the program running.
    timer.unref();
    // The timeout of the run includes its acceptance, so the command itself has none.
    const running = run({ ...options, timeoutMs: 0 });
    try {
      const isLate = await Promise.race([running.then(() => false), expiry.promise.then(() => true)]);
      if (!isLate) return await running;
    } finally {
      clearTimeout(timer);
    }
    running.catch(() => undefined);
    // After the response to `abort`, the run has settled and the next prompt is accepted.
    await this.abort({ timeoutMs: abortGraceMs }).catch(() => undefined);
    throw new RpcTimeoutError("prompt", timeoutMs, "The run was not over");
  }

  /** Runs `work`. An abort of the signal stops the work in the agent, and this call still returns its result. */
  async #stoppable<T>(command: CommandName, signal: Signal | undefined, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new RpcAbortError(command, signal.reason);
    const stop = () => {
      // If this fails, the agent is gone, and the work with it.
      this.send(command === "bash" ? "abort_bash" : "abort", {}).catch(() => undefined);
    };
    signal?.addEventListener("abort", stop);
    try {
      return await work();
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  async #request(name: CommandName, params: object, options: SendOptions, extras: RequestExtras = {}): Promise<unknown> {
    const { signal, timeoutMs = longCommands.has(name) ? 0 : (this.#options.requestTimeoutMs ?? defaultTimeoutMs) } = options;
    if (signal?.aborted) throw new RpcAbortError(name, signal.reason);
    const { resumption } = this.#life;
    const onAnswer = (data: unknown, after: number) => {
      resumption.noteCommand(name, params, data);
      extras.onAnswer?.(after);
    };
    return await this.#flow.whileAwaiting(async () => {
      const connection = this.#life.connection ?? (await orAborted(this.#life.ready(name), name, signal));
      const id = this.#life.nextId();
      const ask = () => connection.request(id, name, params, { timeoutMs, onAnswer, ...(signal ? { signal } : {}) });
      const answer = extras.onOutput ? connection.listenToOutput(id, extras.onOutput, ask) : ask();
      if (this.#life.followsMoves && resumption.isMove(name)) this.#noteSession(connection, timeoutMs);
      return await answer;
    });
  }

  /** Sent directly after the command that changes the session, without waiting: the agent answers in order. */
  #noteSession(connection: Connection, timeoutMs: number): void {
    const onAnswer = (state: unknown) => this.#life.resumption.noteState(state);
    // Without a response, a restart uses the session that was known before.
    connection.request(this.#life.nextId(), "get_state", {}, { timeoutMs, onAnswer }).catch(() => undefined);
  }

  #onConnection(connection: Connection): void {
    // A failed restart does not call #onClose, so the calls of its process are still open.
    this.#endCalls(new Error(goneText));
    this.#connection = connection;
    this.#flow.attach((isReading) => connection.setReading(isReading));
  }

  #onEvent(event: RpcEvent): void {
    if (event.type === "resync" && event.reason === "epoch") this.#endCalls(new Error(goneText));
    this.#runs.onEvent(event);
    this.#events.emit(event);
  }

  #onFrame(frame: IncomingFrame): void {
    if (frame.type === "host_tool_call") this.hostTools.onCall(frame);
    else if (frame.type === "host_tool_cancel") this.hostTools.onCancel(frame);
    else if (frame.type === "host_model_call") this.hostModels.onCall(frame);
    else if (frame.type === "host_model_cancel") this.hostModels.onCancel(frame);
    else if (frame.type === "extension_ui_response") this.#ui.onAnswered(frame);
    else this.#ui.onRequest(frame);
  }

  #endCalls(reason: Error): void {
    this.hostTools.endAll(reason);
    this.hostModels.endAll(reason);
    this.#ui.endAll(reason);
  }

  #onClose(reason: AgentProcessError): void {
    this.#connection = undefined;
    this.#runs.onClose(reason);
    this.#endCalls(reason);
    this.#events.close(reason);
    this.#exitListeners.call(reason);
  }
}
