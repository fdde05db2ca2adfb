import type { ImageContent, Model, StreamOptions, ThinkingLevel } from "@pikit/ai";
import { AgentError } from "./errors.ts";
import { Listeners } from "./listeners.ts";
import { MessageQueue, type QueueMode } from "./message-queue.ts";
import type { AgentEvent, AgentListener, AgentLoopConfig, AgentMessage, AgentTool, InterruptMode, ModelRequest } from "./types.ts";

/** The state of an agent. Changes during a run take effect with its next model call. */
export interface AgentState {
  /** Required for a run: without a model, `prompt` throws. */
  model: Model | undefined;
  systemPrompt: string;
  thinkingLevel: ThinkingLevel;
  tools: AgentTool[];
  /** The transcript. The agent appends to this array during a run; do not change it then. */
  messages: AgentMessage[];
}

export interface AgentOptions extends AgentHooks {
  /** Can also be set later, in `state.model`. */
  model?: Model;
  /** Default: none. */
  systemPrompt?: string;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  /** Default: none. */
  tools?: AgentTool[];
  /** A conversation to continue. Default: empty. */
  messages?: AgentMessage[];
  /** Default `one-at-a-time`. */
  steeringMode?: QueueMode;
  /** Default `one-at-a-time`. */
  followUpMode?: QueueMode;
  /** Default `wait`. */
  interruptMode?: InterruptMode;
  /** Called when a listener throws; the run and the other listeners continue. Default: `console.error`. */
  onListenerError?: (error: unknown, event: AgentEvent) => void;
}

/** Hooks into a run; see `AgentLoopConfig`. */
export interface AgentHooks
  extends Pick<
    AgentLoopConfig,
    "toModelMessages" | "watchAnswer" | "shouldRetry" | "betweenTurns" | "patternsFor" | "beforeToolCall" | "afterToolCall"
  > {
  /** Returns further options of a model call, such as an API key. Called before each model call, because keys expire. */
  requestOptions?(model: Model): RequestOptions | Promise<RequestOptions>;
}

export type RequestOptions = Omit<StreamOptions, "signal" | "reasoning">;

/** A conversation with a model that can use tools. It has one run at a time, emits events, and takes messages through queues. */
export class Agent {
  readonly state: AgentState;
  /** Messages for the next turn of the run: they are added before the next model call. */
  readonly steering: MessageQueue;
  /** Messages for the end of the run: they are added when the run would end, and continue it. */
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

  /** Whether a run is active. It is active until the listeners of its last event have finished. */
  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Runs a prompt and resolves when the run has ended. Failures of the model or of tools do not reject: they are in the transcript. All
   * messages in the `steering` queue are added before the prompt.
   *
   * @param input - Text, or one or more messages.
   * @param images - Added to a text input.
   * @throws {AgentError} `busy` during a run, `no_model` without a model; nothing is changed.
   */
  prompt(input: string | AgentMessage | AgentMessage[], images: ImageContent[] = []): Promise<void> {
    return this.#start(() => [...this.steering.clear(), ...toMessages(input, images)]);
  }

  /**
   * Like `prompt`, but starts with exactly these messages: queued messages are added later, as during a run. For callers that have taken
   * the queued messages themselves.
   *
   * @param hooks - The hooks of this run; they replace those of the constructor.
   * @throws {AgentError} Like `prompt`.
   */
  run(messages: readonly AgentMessage[], hooks?: AgentHooks): Promise<void> {
    return this.#start(() => [...messages], hooks);
  }

  /**
   * Continues without a new prompt: calls the model again after a user message or tool results, otherwise runs the queued messages.
   *
   * @param hooks - Like those of `run`.
   * @throws {AgentError} `busy`, `no_model`; `nothing_to_continue` when the last message is an answer and no message is queued. Nothing is
   *   changed.
   */
  continue(hooks?: AgentHooks): Promise<void> {
    return this.#start(() => {
      const last = this.state.messages.at(-1);
      if (last?.role === "user" || last?.role === "toolResult") return [];
      // A message of another role asks for no answer by itself, so queued ones follow it at once.
      const queued = last ? this.#takeQueued() : [];
      if (queued.length > 0) return queued;
      if (last && last.role !== "assistant") return [];
      throw new AgentError(
        "nothing_to_continue",
        "There is nothing to continue: the last message is an answer, and no message is queued.",
      );
    }, hooks);
  }

  /** Queues a message for the next turn. Without a run, it is added before the next prompt. */
  steer(message: AgentMessage): void {
    this.steering.add(message);
  }

  /** Queues a message for the end of the run. Without a run, it waits for the end of the next one. */
  followUp(message: AgentMessage): void {
    this.followUps.add(message);
  }

  /** The number of messages in both queues. */
  get queuedCount(): number {
    return this.steering.length + this.followUps.length;
  }

  /** Aborts the active run, if any. Queued messages stay queued. Await `waitForIdle()` for its end. */
  abort(reason: unknown = new AgentError("aborted", "The run was aborted.")): void {
    this.#run?.controller.abort(reason);
  }

  /** Resolves when no run is active and all listeners have finished. */
  async waitForIdle(): Promise<void> {
    while (this.#run) await this.#run.ended;
  }

  /** Calls `listener` with every event from now on. Returns a function that ends the subscription. */
  subscribe(listener: AgentListener): () => void {
    return this.#listeners.add(listener);
  }

  /** Calls `listener` after messages were queued, taken or cleared. It must not throw. Returns a function that ends the subscription. */
  subscribeToQueues(listener: () => void): () => void {
    this.#queueListeners.add(listener);
    return () => void this.#queueListeners.delete(listener);
  }

  /**
   * Empties the transcript and the queues.
   *
   * @throws {AgentError} `busy` during a run.
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
    // Set before the first event, because its listeners may abort the run or start another one.
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
    // Loaded with the first run: a process that only waits for prompts starts without it.
    const { runAgentLoop } = await import("./agent-loop.ts");
    let leftBehind = 0;
    const emit = (event: AgentEvent) => {
      if (event.type === "agent_end") leftBehind = this.queuedCount;
      return this.#listeners.emit(event);
    };
    for (let next = prompts; ; ) {
      await runAgentLoop({ prompts: next, transcript, config: this.#config(hooks), emit, signal });
      // Messages that a listener of `agent_end` has queued run at once. Messages that were queued before a stopped run ended stay queued.
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
