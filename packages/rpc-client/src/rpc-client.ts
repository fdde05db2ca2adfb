import type { Signal } from "./abort-signal.ts";
import { AgentLife } from "./agent-life.ts";
import { callSafely } from "./call-safely.ts";
import type { Connection, IncomingFrame, OutputListener } from "./connection.ts";
import { type AgentProcessError, RpcAbortError, RpcTimeoutError } from "./errors.ts";
import { EventHub, type EventListener, type EventsOptions } from "./event-hub.ts";
import type { EventIterator } from "./event-queue.ts";
import { Flow } from "./flow.ts";
import { type ClientTool, HostTools } from "./host-tools.ts";
import { defaultTimeoutMs, type RpcClientOptions, type SendOptions } from "./options.ts";
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
import { RpcDialogs } from "./rpc-dialogs.ts";
import { RunTracker } from "./run-tracker.ts";
import { streamText } from "./text-stream.ts";
import { type UiHandler, UiHandlers, type UiMethod } from "./ui-handlers.ts";

/** What can go along with a prompt. Its `signal` stops the run, also after the prompt was accepted. */
export type PromptOptions = CommandOptions<"prompt", "message">;

/** What can go along with a shell command. Its `signal` ends the command; the result then says `cancelled`. */
export interface BashOptions extends CommandOptions<"bash", "command"> {
  /** Receives the output as it comes. An agent without deltas tells it only with the result. */
  onOutput?: OutputListener;
}

/** Milliseconds that an agent may take to abort a run that took too long. */
const abortGraceMs = 5000;

/** Commands that take as long as what they run. */
const longCommands: ReadonlySet<CommandName> = new Set<CommandName>(["bash", "compact"]);

interface RequestExtras {
  onAnswer?: () => void;
  onOutput?: OutputListener | undefined;
}

/**
 * Starts an agent as a child process and speaks its protocol. Every method rejects with an `RpcError`: when the agent refuses the command
 * (`RpcCommandError`), does not answer in time (`RpcTimeoutError`), or is not running or ends meanwhile (`AgentProcessError`).
 */
export class RpcClient extends RpcDialogs {
  readonly #options: RpcClientOptions;
  readonly #life: AgentLife;
  readonly #flow: Flow = new Flow(() => this.#events.isBehind);
  readonly #events: EventHub = new EventHub(() => this.#flow.update());
  readonly #runs = new RunTracker();
  readonly #tools: HostTools = new HostTools((frame) => this.#connection?.sendFrame(frame));
  readonly #ui: UiHandlers = new UiHandlers((frame) => this.#connection?.sendFrame(frame));
  readonly #exitListeners = new Set<{ listener: (reason: AgentProcessError) => void }>();
  readonly #restartListeners = new Set<{ listener: (crash: AgentProcessError) => void }>();
  /** The process that is there, ready or not. */
  #connection: Connection | undefined;

  constructor(options: RpcClientOptions = {}) {
    super();
    this.#options = options;
    this.#life = new AgentLife(options, {
      onConnection: (connection) => this.#onConnection(connection),
      onEvent: (event) => this.#onEvent(event),
      onFrame: (frame) => this.#onFrame(frame),
      onNoise: (line) => callSafely(() => options.onNoise?.(line)),
      onClose: (reason) => this.#onClose(reason),
      onRestart: (crash) => tell(this.#restartListeners, crash),
      tools: () => this.#tools.definitions,
    });
  }

  /**
   * Starts the agent.
   *
   * @returns when it has given its first answer.
   * @throws {AgentProcessError} When it cannot be found, ends at once, is not ready within `startTimeoutMs` (then it is killed), or
   *   speaks another version of the protocol. `already_started` when it runs; after a crash or a finished `stop` it can be started again.
   * @throws {RpcAbortError} When the signal was aborted; the process is gone then.
   */
  async start({ signal }: { signal?: Signal } = {}): Promise<void> {
    await this.#life.start(signal);
  }

  /**
   * Ends the agent: closes its input, upon which it saves and exits; sends SIGTERM after `stopGraceMs`, and SIGKILL to its process group
   * after another `stopGraceMs`. An agent that is asked so aborts its run and tells of its end; what it left open rejects with `stopped`.
   * May be called at any time and any number of times.
   *
   * @returns when the process is gone.
   */
  async stop(): Promise<void> {
    await this.#life.stop();
  }

  /** `await using client = new RpcClient()` stops the agent at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async send<N extends CommandName>(name: N, params: CommandParams<N>, options: SendOptions = {}): Promise<CommandData<N>> {
    return (await this.#request(name, params, options)) as CommandData<N>;
  }

  /**
   * Starts a run.
   *
   * @returns when the agent has accepted the prompt; what happens then is told by events, failures of the model included.
   */
  async prompt(message: string, options: PromptOptions = {}): Promise<void> {
    const { signal } = options;
    if (signal === undefined) {
      await this.#runs.prompt((onAnswer) => this.#sendPrompt(message, options, onAnswer));
      return;
    }
    // The signal is listened to until the run has settled.
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
   * Starts a run and waits until it has settled: retries and compactions are over, and nothing that it started is at work.
   *
   * @param options - `timeoutMs` bounds the whole run, not only its acceptance; 0 and absent: the run may take as long as it likes.
   * @returns everything that the run added to the conversation. A run that failed or was aborted ends with an assistant message whose
   *   `stopReason` says so; that is not an error of this call.
   * @throws {RpcTimeoutError} When the run was not over within `timeoutMs`. It has been aborted then.
   */
  async promptAndWait(message: string, options: PromptOptions = {}): Promise<AgentMessage[]> {
    return await this.#bounded(options, (rest) => {
      const run = () => this.#runs.promptAndWait((onAnswer) => this.#sendPrompt(message, rest, onAnswer));
      return this.#stoppable("prompt", options.signal, () => this.#flow.whileAwaiting(run));
    });
  }

  /**
   * Starts a run and yields the text of its answers as it comes, with an empty line between two texts. It begins with the first `next()`;
   * leaving the loop before the end aborts the run. `timeoutMs` is as in `promptAndWait`.
   *
   * @throws {RpcRunError} When the run failed after its prompt was accepted. An aborted run just ends.
   */
  text(message: string, options: PromptOptions = {}): AsyncGenerator<string, void, undefined> {
    return streamText({
      listen: () => this.#events.iterate({}, this.#life.closedBy),
      run: (onSettled) =>
        this.#bounded(options, (rest) => {
          const send = (onAnswer: () => void) => this.#sendPrompt(message, rest, onAnswer);
          return this.#stoppable("prompt", options.signal, () => this.#runs.promptAndWait(send, onSettled));
        }),
      abort: () => this.abort(),
    });
  }

  /** Runs a shell command in the agent's folder; the model reads its output with the next prompt. Waits for ever by default. */
  async bash(command: string, options: BashOptions = {}): Promise<BashResult> {
    const { onOutput, ...rest } = options;
    const [params, { signal, ...sendOptions }] = split(rest);
    const run = () => this.#request("bash", { ...params, command }, sendOptions, { onOutput });
    return (await this.#stoppable("bash", signal, run)) as BashResult;
  }

  /** Puts a summary in the place of the older part of the conversation. Waits for ever by default; its `signal` stops it, and it rejects. */
  override async compact(options: CommandOptions<"compact"> = {}): Promise<CompactionResult> {
    const { signal, ...rest } = options;
    return await this.#stoppable("compact", signal, () => super.compact(rest));
  }

  /**
   * Sets the tools that run in this program, in the place of those that it had, and tells the agent of them: now, and whenever it is
   * started again. May be called before `start`.
   *
   * @returns the names of the tools.
   * @throws {RpcCommandError} When the agent does not take them, for example because it has a tool of that name; the former ones stay.
   */
  async setTools(tools: readonly ClientTool<unknown>[], options: SendOptions = {}): Promise<string[]> {
    return await this.#tools.replace(tools, async () => {
      const { definitions } = this.#tools;
      if (!this.#life.isStarted) return definitions.map(({ name }) => name);
      return (await this.send("set_host_tools", { tools: definitions }, options)).toolNames;
    });
  }

  /** The same as `setTools`, under the name that the family of clients has for it. */
  setCustomTools(tools: readonly ClientTool<unknown>[], options?: SendOptions): Promise<string[]> {
    return this.setTools(tools, options);
  }

  /** The same as `setTools`, under the name of the command. */
  setHostTools(tools: readonly ClientTool<unknown>[], options?: SendOptions): Promise<string[]> {
    return this.setTools(tools, options);
  }

  /**
   * Calls `listener` with every event, or with those of one type, also after the agent was started again. `message` and `partial` always
   * hold the whole message so far. Event objects are shared between listeners: do not change them.
   *
   * @returns a function that ends the subscription.
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
   * The events from this call on, until the agent is stopped; throws an `AgentProcessError` when it ends in another way, restarted or not.
   * Events that the reader has not come to yet wait. When more than `maxWaiting` do, the agent's output is left unread until the
   * reader has caught up, except while a call of this client waits for its answer; so leave the loop when you need no more.
   */
  events(options: EventsOptions = {}): EventIterator<RpcEvent> {
    return this.#events.iterate(options, this.#life.closedBy);
  }

  /** Calls `listener` whenever the agent is gone: with code `stopped`, `exited`, `gave_up`, or what made a start fail. */
  onExit(listener: (reason: AgentProcessError) => void): () => void {
    return subscribe(this.#exitListeners, listener);
  }

  /** Calls `listener` with the crash when the agent was started again after it and is ready. */
  onRestart(listener: (crash: AgentProcessError) => void): () => void {
    return subscribe(this.#restartListeners, listener);
  }

  protected override setUiHandler<M extends UiMethod>(method: M, handler: UiHandler<M>): () => void {
    return this.#ui.set(method, handler);
  }

  #sendPrompt(message: string, options: PromptOptions, onAnswer: () => void): Promise<void> {
    const [params, { signal: _, ...sendOptions }] = split(options);
    return this.#request("prompt", { ...params, message }, sendOptions, { onAnswer }).then(() => undefined);
  }

  /**
   * Waits for a run no longer than `timeoutMs`, acceptance included, then aborts it.
   *
   * @throws {RpcTimeoutError} When the run has been aborted, or the agent cannot be told.
   */
  async #bounded<T>(options: PromptOptions, run: (rest: PromptOptions) => Promise<T>): Promise<T> {
    const { timeoutMs = 0 } = options;
    if (timeoutMs <= 0) return await run(options);
    const expiry = Promise.withResolvers<void>();
    const timer = setTimeout(expiry.resolve, timeoutMs);
    // A program that has nothing else to do may end.
    timer.unref();
    // What bounds the run bounds its acceptance too, and stops it.
    const running = run({ ...options, timeoutMs: 0 });
    try {
      const isLate = await Promise.race([running.then(() => false), expiry.promise.then(() => true)]);
      if (!isLate) return await running;
    } finally {
      clearTimeout(timer);
    }
    running.catch(() => undefined);
    // When that is answered, the run has settled, and the next prompt is accepted.
    await this.abort({ timeoutMs: abortGraceMs }).catch(() => undefined);
    throw new RpcTimeoutError("prompt", timeoutMs, "The run was not over");
  }

  /** Does work that a signal does not leave alone but stops; the work tells then how it ended. */
  async #stoppable<T>(command: CommandName, signal: Signal | undefined, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new RpcAbortError(command, signal.reason);
    const stop = () => {
      // An agent that cannot be told is gone, and the work with it.
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
    const onAnswer = (data: unknown) => {
      resumption.noteCommand(name, params, data);
      extras.onAnswer?.();
    };
    return await this.#flow.whileAwaiting(async () => {
      const connection = this.#life.connection ?? (await orAborted(this.#life.ready(name), name, signal));
      const id = this.#life.nextId();
      const ask = () => connection.request(id, name, params, { timeoutMs, onAnswer, ...(signal ? { signal } : {}) });
      const answer = extras.onOutput ? connection.listenToOutput(id, extras.onOutput, ask) : ask();
      if (this.#options.restart === "on-crash" && resumption.isMove(name)) this.#noteSessionFile(connection, timeoutMs);
      return await answer;
    });
  }

  /** Asked behind the command that moves, without a wait: the agent answers in order. */
  #noteSessionFile(connection: Connection, timeoutMs: number): void {
    const onAnswer = (state: unknown) => this.#life.resumption.noteState(state);
    // An agent that does not answer is restarted with what was known before.
    connection.request(this.#life.nextId(), "get_state", {}, { timeoutMs, onAnswer }).catch(() => undefined);
  }

  #onConnection(connection: Connection): void {
    // Nobody was told of an attempt to start again that failed, and what it asked is open still.
    this.#endCalls(new Error("The agent that asked is gone."));
    this.#connection = connection;
    this.#flow.attach((isReading) => connection.setReading(isReading));
  }

  #onEvent(event: RpcEvent): void {
    this.#runs.onEvent(event);
    this.#events.emit(event);
  }

  #onFrame(frame: IncomingFrame): void {
    if (frame.type === "host_tool_call") this.#tools.onCall(frame);
    else if (frame.type === "host_tool_cancel") this.#tools.onCancel(frame);
    else this.#ui.onRequest(frame);
  }

  #endCalls(reason: Error): void {
    this.#tools.endAll(reason);
    this.#ui.endAll(reason);
  }

  #onClose(reason: AgentProcessError): void {
    this.#connection = undefined;
    this.#runs.onClose(reason);
    this.#endCalls(reason);
    this.#events.close(reason);
    tell(this.#exitListeners, reason);
  }
}

type Listeners = Set<{ listener: (reason: AgentProcessError) => void }>;

function subscribe(listeners: Listeners, listener: (reason: AgentProcessError) => void): () => void {
  const entry = { listener };
  listeners.add(entry);
  return () => void listeners.delete(entry);
}

function tell(listeners: Listeners, reason: AgentProcessError): void {
  for (const { listener } of [...listeners]) callSafely(() => listener(reason));
}

/** The outcome of `promise`, or an error as soon as the signal is aborted. */
async function orAborted<T>(promise: Promise<T>, command: CommandName, signal: Signal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new RpcAbortError(command, signal.reason));
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
