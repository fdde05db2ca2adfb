import type { ImageContent, Model, StreamOptions, ThinkingLevel } from "@pikit/ai";
import { runAgentLoop } from "./agent-loop.ts";
import { AgentError } from "./errors.ts";
import { Listeners } from "./listeners.ts";
import { MessageQueue, type QueueMode } from "./message-queue.ts";
import type { AgentEvent, AgentListener, AgentLoopConfig, AgentMessage, AgentTool, InterruptMode, ModelRequest } from "./types.ts";

/** What an agent knows. Changes made during a run apply from its next model call. */
export interface AgentState {
  /** Without a model, prompts are refused. */
  model: Model | undefined;
  systemPrompt: string;
  thinkingLevel: ThinkingLevel;
  tools: AgentTool[];
  /** The transcript; live, and owned by the agent while a run is going. */
  messages: AgentMessage[];
}

export interface AgentOptions extends AgentHooks {
  /** May be set later, in `state.model`. */
  model?: Model;
  /** Default: none. */
  systemPrompt?: string;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  /** Default: none. */
  tools?: AgentTool[];
  /** A conversation to go on with. Default: empty. */
  messages?: AgentMessage[];
  /** Default `one-at-a-time`. */
  steeringMode?: QueueMode;
  /** Default `one-at-a-time`. */
  followUpMode?: QueueMode;
  /** Default `wait`. */
  interruptMode?: InterruptMode;
  /** Told when a listener throws; the run and the other listeners go on. Default: `console.error`. */
  onListenerError?: (error: unknown, event: AgentEvent) => void;
}

/** What an owner may decide during a run; see `AgentLoopConfig`. */
export interface AgentHooks
  extends Pick<
    AgentLoopConfig,
    "toModelMessages" | "watchAnswer" | "shouldRetry" | "betweenTurns" | "patternsFor" | "beforeToolCall" | "afterToolCall"
  > {
  /** Further options of a model call, such as a key; asked for before each call, since keys expire. */
  requestOptions?(model: Model): RequestOptions | Promise<RequestOptions>;
}

export type RequestOptions = Omit<StreamOptions, "signal" | "reasoning">;

/** A conversation with a model that can use tools: one run at a time, observed through events, steered through queues. */
export class Agent {
  readonly state: AgentState;
  /** Messages for the next turn of the run: they go in before the next model call. */
  readonly steering: MessageQueue;
  /** Messages for the end of the run: they go in when it would stop. */
  readonly followUps: MessageQueue;
  interruptMode: InterruptMode;
  readonly #hooks: AgentHooks;
  readonly #listeners: Listeners<AgentEvent>;
  readonly #queueListeners = new Set<() => void>();
  #run: { controller: AbortController; ended: Promise<void> } | undefined;

  constructor(options: AgentOptions = {}) {
    this.#hooks = options;
    this.#listeners = new Listeners(options.onListenerError ?? reportListenerError);
    const onQueueChange = () => {
      for (const listener of this.#queueListeners) listener();
    };
    this.steering = new MessageQueue(options.steeringMode, onQueueChange);
    this.followUps = new MessageQueue(options.followUpMode, onQueueChange);
    this.interruptMode = options.interruptMode ?? "wait";
    this.state = {
      model: options.model,
      systemPrompt: options.systemPrompt ?? "",
      thinkingLevel: options.thinkingLevel ?? "off",
      tools: options.tools ?? [],
      messages: options.messages ?? [],
    };
  }

  /** Whether a run is going, listeners of its last event included. */
  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Runs a prompt and resolves when the run has ended. Failures of the model or of tools do not reject: they are in the transcript.
   * Messages that wait in `steering` go in front of it, all of them, and are answered with it.
   *
   * @param input - Text, or one or more messages.
   * @param images - Sent along with a text.
   * @throws {AgentError} `busy` while a run is going, `no_model` without a model; nothing is changed.
   */
  prompt(input: string | AgentMessage | AgentMessage[], images: ImageContent[] = []): Promise<void> {
    return this.#start(() => [...this.steering.clear(), ...toMessages(input, images)]);
  }

  /**
   * As `prompt`, but begins with exactly these messages: queued messages go in later, as during a run. For an owner that has taken out
   * itself the messages that go in front.
   *
   * @param hooks - Decide about this run, in place of the hooks that the agent was made with.
   * @throws {AgentError} As `prompt`.
   */
  run(messages: readonly AgentMessage[], hooks?: AgentHooks): Promise<void> {
    return this.#start(() => [...messages], hooks);
  }

  /**
   * Goes on without a new prompt: asks the model again after a user message or tool results, else runs what is queued.
   *
   * @param hooks - As for `run`.
   * @throws {AgentError} `busy`, `no_model`; `nothing_to_continue` when there is neither. Nothing is changed.
   */
  continue(hooks?: AgentHooks): Promise<void> {
    return this.#start(() => {
      const last = this.state.messages.at(-1);
      if (last && last.role !== "assistant") return [];
      const queued = last ? this.#takeQueued() : [];
      if (queued.length > 0) return queued;
      throw new AgentError(
        "nothing_to_continue",
        "There is nothing to continue: the last message is an answer, and no message is queued.",
      );
    }, hooks);
  }

  /** Queues a message for the next turn. While idle it waits, and goes in front of the next prompt. */
  steer(message: AgentMessage): void {
    this.steering.add(message);
  }

  /** Queues a message for the end of the run. While idle it waits for the next prompt. */
  followUp(message: AgentMessage): void {
    this.followUps.add(message);
  }

  /** How many messages wait in both queues. */
  get queuedCount(): number {
    return this.steering.length + this.followUps.length;
  }

  /** Stops the run that is going, if any; queued messages stay queued. `waitForIdle()` tells when it has ended. */
  abort(reason: unknown = new AgentError("aborted", "The run was aborted.")): void {
    this.#run?.controller.abort(reason);
  }

  /** Resolves when no run is going and its listeners have finished. */
  async waitForIdle(): Promise<void> {
    while (this.#run) await this.#run.ended;
  }

  /** Calls `listener` with every event from now on. Returns the function that ends it. */
  subscribe(listener: AgentListener): () => void {
    return this.#listeners.add(listener);
  }

  /** Calls `listener` after messages were queued, taken or cleared. It must not throw. Returns the function that ends it. */
  subscribeToQueues(listener: () => void): () => void {
    this.#queueListeners.add(listener);
    return () => void this.#queueListeners.delete(listener);
  }

  /**
   * Empties transcript and queues.
   *
   * @throws {AgentError} `busy` while a run is going.
   */
  reset(): void {
    this.#requireIdle();
    this.state.messages = [];
    this.steering.clear();
    this.followUps.clear();
  }

  async #start(choosePrompts: () => AgentMessage[], hooks = this.#hooks): Promise<void> {
    this.#requireIdle();
    if (!this.state.model) throw new AgentError("no_model", "No model is chosen. Set state.model first.");
    const prompts = choosePrompts();
    const controller = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    // Before the first event: its listeners may abort already, and must find the agent busy.
    this.#run = { controller, ended };
    try {
      await this.#runAll(prompts, hooks, controller.signal);
    } finally {
      this.#run = undefined;
      resolve();
    }
  }

  async #runAll(prompts: AgentMessage[], hooks: AgentHooks, signal: AbortSignal): Promise<void> {
    const { messages: transcript } = this.state;
    let leftBehind = 0;
    const emit = (event: AgentEvent) => {
      if (event.type === "agent_end") leftBehind = this.queuedCount;
      return this.#listeners.emit(event);
    };
    for (let next = prompts; ; ) {
      await runAgentLoop({ prompts: next, transcript, config: this.#config(hooks), emit, signal });
      // What a listener of the end has queued is done at once. What a run that was stopped has left behind waits.
      next = endsWell(transcript) && leftBehind === 0 && !signal.aborted ? this.#takeQueued() : [];
      if (next.length === 0) break;
    }
  }

  #config(hooks: AgentHooks): AgentLoopConfig {
    return {
      ...hooks,
      nextRequest: () => this.#nextRequest(hooks),
      takeSteering: () => this.steering.take(),
      takeFollowUps: () => this.followUps.take(),
      interruptMode: () => this.interruptMode,
      hasSteering: () => this.steering.length > 0,
    };
  }

  async #nextRequest(hooks: AgentHooks): Promise<ModelRequest> {
    const { model, systemPrompt, thinkingLevel, tools } = this.state;
    if (!model) throw new AgentError("no_model", "The model was removed during the run.");
    const options = await hooks.requestOptions?.(model);
    return { model, systemPrompt, thinkingLevel, tools, ...(options ? { options } : {}) };
  }

  #takeQueued(): AgentMessage[] {
    const steering = this.steering.take();
    return steering.length > 0 ? steering : this.followUps.take();
  }

  #requireIdle(): void {
    if (this.#run) {
      throw new AgentError("busy", "A run is already going. Wait for it with waitForIdle(), or stop it with abort().");
    }
  }
}

function endsWell(transcript: readonly AgentMessage[]): boolean {
  const last = transcript.at(-1);
  return last?.role === "assistant" && last.stopReason !== "error" && last.stopReason !== "aborted";
}

function toMessages(input: string | AgentMessage | AgentMessage[], images: ImageContent[]): AgentMessage[] {
  if (Array.isArray(input)) return input;
  if (typeof input !== "string") return [input];
  const content = images.length === 0 ? input : [{ type: "text" as const, text: input }, ...images];
  return [{ role: "user", content, timestamp: Date.now() }];
}

function reportListenerError(error: unknown, event: AgentEvent): void {
  console.error(`A listener failed at ${event.type}:`, error);
}
