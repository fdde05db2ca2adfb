import { quoteStderr } from "./agent-process.ts";
import { Connection } from "./connection.ts";
import { AgentProcessError, RpcTimeoutError } from "./errors.ts";
import { EventQueue } from "./event-queue.ts";
import { findCli } from "./find-cli.ts";
import { type RpcClientOptions, type SendOptions, toArguments } from "./options.ts";
import type {
  AgentMessage,
  BashResult,
  CommandData,
  CommandName,
  CommandParams,
  RpcEvent,
  SessionState,
  WireModel,
} from "./protocol-types.ts";
import { RunTracker } from "./run-tracker.ts";

/** What can go along with a prompt. */
export type PromptOptions = Omit<CommandParams<"prompt">, "message"> & SendOptions;

/** Receives events in order. What it throws is raised as an uncaught exception, as an event emitter's listener would. */
export type EventListener = (event: RpcEvent) => void;

/** Commands that take as long as what they run. */
const longCommands: ReadonlySet<CommandName> = new Set<CommandName>(["bash"]);
const defaultTimeoutMs = 30_000;
const defaultStopGraceMs = 5_000;

/**
 * Starts an agent as a child process and speaks its protocol. Every method rejects with an `RpcError`: when the agent refuses the command
 * (`RpcCommandError`), does not answer in time (`RpcTimeoutError`), or is not running or ends meanwhile (`AgentProcessError`).
 */
export class RpcClient {
  readonly #options: RpcClientOptions;
  readonly #listeners = new Set<{ listener: EventListener }>();
  readonly #queues = new Set<EventQueue<RpcEvent>>();
  readonly #runs = new RunTracker();
  #connection: Connection | undefined;
  /** Why there is no connection, once there was one. */
  #closedBy: AgentProcessError | undefined;
  #lastId = 0;

  constructor(options: RpcClientOptions = {}) {
    this.#options = options;
  }

  /**
   * Starts the agent.
   *
   * @returns when it has given its first answer.
   * @throws {AgentProcessError} When it cannot be found, ends at once, or is not ready within `startTimeoutMs` (then it is killed).
   *   `already_started` when it runs; after a crash or a finished `stop` it can be started again.
   */
  async start(): Promise<void> {
    if (this.#connection !== undefined) {
      throw new AgentProcessError("already_started", "The agent is already started; await stop() before starting it again.");
    }
    this.#closedBy = undefined;
    try {
      const connection = this.#connect();
      await this.#awaitFirstAnswer(connection);
    } catch (error) {
      // A process that ended by itself has told already.
      if (this.#closedBy === undefined) this.#onClose(error as AgentProcessError);
      throw error;
    }
  }

  /**
   * Ends the agent: closes its input, upon which it saves and exits; sends SIGTERM after `stopGraceMs`, and SIGKILL to its process group
   * after another `stopGraceMs`. An agent that is asked so aborts its run and tells of its end; what it left open rejects with `stopped`.
   * May be called at any time and any number of times.
   *
   * @returns when the process is gone.
   */
  async stop(): Promise<void> {
    await this.#connection?.stop();
  }

  /** `await using client = new RpcClient()` stops the agent at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Sends any command of the protocol.
   *
   * @param params - The command's fields; `{}` when it has none.
   * @returns the `data` of its answer.
   */
  async send<N extends CommandName>(name: N, params: CommandParams<N>, options: SendOptions = {}): Promise<CommandData<N>> {
    return (await this.#request(name, params, options)) as CommandData<N>;
  }

  /**
   * Starts a run.
   *
   * @returns when the agent has accepted the prompt; what happens then is told by events, failures of the model included.
   */
  async prompt(message: string, options: PromptOptions = {}): Promise<void> {
    await this.#runs.prompt((onAccepted) => this.#sendPrompt(message, options, onAccepted));
  }

  /**
   * Starts a run and waits until it has settled: retries and compactions are over, and nothing that it started is at work.
   *
   * @returns everything that the run added to the conversation. A run that failed or was aborted ends with an assistant message whose
   *   `stopReason` says so; that is not an error of this call.
   */
  async promptAndWait(message: string, options: PromptOptions = {}): Promise<AgentMessage[]> {
    return await this.#runs.promptAndWait((onAccepted) => this.#sendPrompt(message, options, onAccepted));
  }

  /** Stops the run that is at work, also one whose prompt was sent just before. */
  async abort(): Promise<void> {
    await this.send("abort", {});
  }

  /** Stops the run that is at work and sends a prompt in its place. Returns when the new prompt is accepted. */
  async abortAndPrompt(message: string, options: Omit<CommandParams<"abort_and_prompt">, "message"> = {}): Promise<void> {
    await this.send("abort_and_prompt", { ...options, message });
  }

  /** Queues a message that goes in before the next model call of the run. While idle it waits for the next prompt. */
  async steer(message: string, options: Omit<CommandParams<"steer">, "message"> = {}): Promise<void> {
    await this.send("steer", { ...options, message });
  }

  /** Queues a message that goes in when the run would end. While idle it waits for the next prompt. */
  async followUp(message: string, options: Omit<CommandParams<"follow_up">, "message"> = {}): Promise<void> {
    await this.send("follow_up", { ...options, message });
  }

  /** Empties both queues and returns the texts that were in them. */
  clearQueue(): Promise<CommandData<"clear_queue">> {
    return this.send("clear_queue", {});
  }

  /** How many steering messages go in at a time. */
  async setSteeringMode(mode: CommandParams<"set_steering_mode">["mode"]): Promise<void> {
    await this.send("set_steering_mode", { mode });
  }

  /** How many follow-ups go in at a time. */
  async setFollowUpMode(mode: CommandParams<"set_follow_up_mode">["mode"]): Promise<void> {
    await this.send("set_follow_up_mode", { mode });
  }

  /** Whether steering may skip tool calls of the turn that have not started. */
  async setInterruptMode(mode: CommandParams<"set_interrupt_mode">["mode"]): Promise<void> {
    await this.send("set_interrupt_mode", { mode });
  }

  /** Whether answers that failed for a passing reason are asked for again. */
  async setAutoRetry(enabled: boolean): Promise<void> {
    await this.send("set_auto_retry", { enabled });
  }

  /** Ends a wait before a retry; the run ends with the answer that failed. */
  async abortRetry(): Promise<void> {
    await this.send("abort_retry", {});
  }

  getState(): Promise<SessionState> {
    return this.send("get_state", {});
  }

  /** The conversation as the model sees it, oldest message first. */
  async getMessages(): Promise<AgentMessage[]> {
    return (await this.send("get_messages", {})).messages;
  }

  /** The text of the last answer, or null when there is none yet. */
  async getLastAssistantText(): Promise<string | null> {
    return (await this.send("get_last_assistant_text", {})).text;
  }

  /** Changes the model for the prompts that follow. */
  setModel(provider: string, modelId: string): Promise<WireModel> {
    return this.send("set_model", { provider, modelId });
  }

  /** The models whose provider has credentials or needs none. */
  async getAvailableModels(): Promise<WireModel[]> {
    return (await this.send("get_available_models", {})).models;
  }

  /** Leaves the conversation and begins an empty one. */
  newSession(params: CommandParams<"new_session"> = {}): Promise<CommandData<"new_session">> {
    return this.send("new_session", params);
  }

  /** Runs a shell command in the agent's folder; the model reads its output with the next prompt. Waits for ever by default. */
  bash(command: string, options: Omit<CommandParams<"bash">, "command"> & SendOptions = {}): Promise<BashResult> {
    const { timeoutMs, ...params } = options;
    return this.send("bash", { command, ...params }, timeoutMs === undefined ? {} : { timeoutMs });
  }

  /** Ends the shell command that `bash` runs; its result says `cancelled`. */
  async abortBash(): Promise<void> {
    await this.send("abort_bash", {});
  }

  /**
   * Calls `listener` with every event, also after the agent was started again. `message` and `partial` always hold the whole message so
   * far. Event objects are shared between listeners: do not change them.
   *
   * @returns a function that ends the subscription.
   */
  onEvent(listener: EventListener): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /**
   * The events from this call on, until the agent is stopped; throws an `AgentProcessError` when it ends in another way. Events that the
   * reader has not come to yet are kept, so read on or leave the loop.
   */
  events(): AsyncIterableIterator<RpcEvent, undefined> {
    const queue = new EventQueue<RpcEvent>(() => this.#queues.delete(queue));
    if (this.#closedBy === undefined) this.#queues.add(queue);
    else endQueue(queue, this.#closedBy);
    return queue;
  }

  #connect(): Connection {
    const { cliPath, runtime = process.execPath, cwd = process.cwd(), stopGraceMs = defaultStopGraceMs } = this.#options;
    const env = { ...process.env, ...this.#options.env };
    const command = findCli({ runtime, env, ...(cliPath === undefined ? {} : { cliPath }) });
    const options = { command, args: toArguments(this.#options), cwd, env, stopGraceMs };
    this.#connection = new Connection(options, {
      onEvent: (event) => this.#onEvent(event),
      onNoise: (line) => callSafely(() => this.#options.onNoise?.(line)),
      onClose: (reason) => this.#onClose(reason),
    });
    return this.#connection;
  }

  async #awaitFirstAnswer(connection: Connection): Promise<void> {
    const { startTimeoutMs: timeoutMs = defaultTimeoutMs } = this.#options;
    const onAnswer = (state: unknown) => {
      connection.isDeltas = (state as Partial<SessionState> | undefined)?.streamMode === "deltas";
    };
    try {
      await connection.request(this.#nextId(), "get_state", {}, { timeoutMs, onAnswer });
    } catch (error) {
      if (error instanceof AgentProcessError) throw error;
      const reason = startError(error as Error, connection.stderrTail);
      await connection.kill(reason);
      throw reason;
    }
  }

  #sendPrompt(message: string, { timeoutMs, ...params }: PromptOptions, onAccepted: () => void): Promise<void> {
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    return this.#request("prompt", { ...params, message }, options, onAccepted).then(() => undefined);
  }

  async #request(name: CommandName, params: object, options: SendOptions, onAnswer?: () => void): Promise<unknown> {
    if (this.#connection === undefined) {
      throw (
        this.#closedBy ??
        new AgentProcessError("not_started", `Cannot send "${name}": the agent is not started; await start() first.`)
      );
    }
    const timeoutMs = options.timeoutMs ?? (longCommands.has(name) ? 0 : (this.#options.requestTimeoutMs ?? defaultTimeoutMs));
    return await this.#connection.request(this.#nextId(), name, params, { timeoutMs, ...(onAnswer ? { onAnswer } : {}) });
  }

  /** Never repeats, so that a late answer cannot be taken for another one's. */
  #nextId(): string {
    this.#lastId += 1;
    return `${this.#lastId}`;
  }

  #onEvent(event: RpcEvent): void {
    this.#runs.onEvent(event);
    for (const queue of this.#queues) queue.push(event);
    for (const entry of [...this.#listeners]) {
      if (this.#listeners.has(entry)) callSafely(() => entry.listener(event));
    }
  }

  #onClose(reason: AgentProcessError): void {
    this.#connection = undefined;
    this.#closedBy = reason;
    this.#runs.onClose(reason);
    for (const queue of this.#queues) endQueue(queue, reason);
    this.#queues.clear();
  }
}

function startError(cause: Error, stderrTail: string): AgentProcessError {
  const isLate = cause instanceof RpcTimeoutError;
  const what = isLate ? `gave no first answer within ${cause.timeoutMs} ms` : `could not say its state (${cause.message})`;
  const message = `The agent ${what} and was killed${quoteStderr(stderrTail)}`;
  return new AgentProcessError(isLate ? "start_timeout" : "start_failed", message, { cause, stderrTail });
}

function endQueue(queue: EventQueue<RpcEvent>, reason: AgentProcessError): void {
  queue.end(reason.code === "stopped" ? undefined : reason);
}

/** Runs a callback of the program. Its mistake must not be taken for the agent's, nor keep others from their events, nor get lost. */
function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
