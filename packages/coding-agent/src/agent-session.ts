import type { Agent, AgentEvent, AgentHooks, AgentMessage, InterruptMode, Listener, QueueMode } from "@pikit/agent";
import { Listeners } from "@pikit/agent";
import type { Model, ThinkingLevel } from "@pikit/ai";
import type { Conversation, NewConversation } from "./conversation/conversation.ts";
import { SessionError } from "./errors.ts";
import type { ProcessRunner } from "./exec/run-process.ts";
import type { ModelRegistry } from "./models/model-registry.ts";
import { toWireModel } from "./models/wire-model.ts";
import { createUserMessage, type PromptInput } from "./prompt/prompt-input.ts";
import type { BashResult, SessionState } from "./protocol/data.ts";
import type { LimitName, SessionEvent } from "./protocol/events.ts";
import { AutoRetry, type RetrySettings } from "./run/auto-retry.ts";
import { LimitGuard, type RunLimits } from "./run/limits.ts";
import { type PromptRun, RunController } from "./run/run-controller.ts";
import { ShellCommands, toBashMessage } from "./run/shell-commands.ts";
import { Transcript } from "./run/transcript.ts";
import type { UserInterface } from "./user-interface.ts";

/** Everything that a session tells its subscribers. */
export type AgentSessionEvent = AgentEvent | SessionEvent;

/** The parts that a session is made of; `createAgentSession` puts them together. */
export interface AgentSessionParts {
  /** Makes the agent that the session runs; the hooks are the session's own. */
  createAgent(hooks: AgentHooks): Agent;
  conversation: Conversation;
  models: ModelRegistry;
  runProcess: ProcessRunner;
  /** Begins another conversation, stored where this one is. */
  createConversation(options: NewConversation): Conversation;
  /** Makes the system prompt; called before the first run, and again after a change of conversation. */
  buildSystemPrompt(): string;
  /** What the user chose; each model gets the nearest level that it supports. */
  thinkingLevel: ThinkingLevel;
  retry: RetrySettings;
  limits: RunLimits;
  /** Who is asked where a decision is needed. */
  user: UserInterface;
}

/** What a message that is sent during a run does: it steers the run, or follows when the run would end. */
export type StreamingBehavior = "steer" | "followUp";

export interface PromptOptions extends Omit<PromptInput, "text"> {
  /** Aborts the run. */
  signal?: AbortSignal;
  /** What to do while a run is going; without it the prompt is refused then. */
  streamingBehavior?: StreamingBehavior | undefined;
}

/**
 * A conversation with a coding agent: one run at a time, stored as it happens, observed through events. Made by `createAgentSession`.
 *
 * Events are live objects: the message of a `message_update` goes on growing until its `message_end`.
 */
export class AgentSession {
  readonly #parts: AgentSessionParts;
  readonly #agent: Agent;
  readonly #transcript: Transcript;
  readonly #runs: RunController;
  readonly #retry: AutoRetry;
  readonly #limits: LimitGuard;
  readonly #shell: ShellCommands;
  readonly #listeners = new Listeners<AgentSessionEvent>((error, event) => {
    console.error(`A listener of the session failed at ${event.type}:`, error);
  });
  #systemPromptIsReady = false;

  constructor(parts: AgentSessionParts) {
    this.#parts = parts;
    const emit = (event: AgentSessionEvent) => this.#listeners.emit(event);
    this.#agent = parts.createAgent({
      shouldRetry: (failed, signal) => {
        this.#limits.countCost(failed.answer);
        return this.#retry.shouldRetry(failed, signal);
      },
      betweenTurns: (turn, signal) => this.#limits.afterTurn(turn, signal),
      beforeToolCall: () => this.#limits.checkCall(),
      onQueueChange: () => void emit({ type: "queue_update", ...this.queuedTexts() }),
    });
    this.#transcript = new Transcript(this.#agent, parts.conversation, (error) => void emit({ type: "error", error }));
    this.#retry = new AutoRetry(parts.retry, emit);
    this.#limits = new LimitGuard({
      limits: parts.limits,
      user: parts.user,
      emit,
      isMoreQueued: () => this.#agent.queuedCount > 0,
      addHint: (text) => this.#agent.steer(createUserMessage({ text })),
      // Through the controller, which knows a run from its acceptance on; the agent only knows it once it has begun.
      abortRun: () => void this.#runs.abort(),
    });
    this.#runs = new RunController(this.#agent, () => {
      this.#limits.stop();
      return emit({ type: "agent_settled" });
    });
    this.#shell = new ShellCommands(parts.runProcess);
    this.#agent.subscribe((event) => {
      const stored = this.#transcript.observe(event);
      return stored === undefined ? emit(event) : stored.then(() => emit(event)).then(() => this.#closeRetry(event));
    });
  }

  /** The active branch as the model's context is built from it. Live: read it, do not change it. */
  get messages(): readonly AgentMessage[] {
    return this.#agent.state.messages;
  }

  /** The model that answers; undefined when none is chosen. */
  get model(): Model | undefined {
    return this.#agent.state.model;
  }

  get sessionId(): string {
    return this.#transcript.conversation.header.id;
  }

  /** The session file; null in memory. It exists from the first message on. */
  get sessionFile(): string | null {
    return this.#transcript.conversation.path;
  }

  /** The folder that tools work in. */
  get cwd(): string {
    return this.#transcript.conversation.header.cwd;
  }

  /** The header that a file or an event stream of this session begins with. */
  get header(): Conversation["header"] {
    return this.#transcript.conversation.header;
  }

  /** What could not be read of the session's file when it was opened, for people; empty when all was. */
  get diagnostics(): readonly string[] {
    return this.#transcript.conversation.diagnostics;
  }

  /** From the acceptance of a prompt until it has settled. */
  get isStreaming(): boolean {
    return this.#runs.isActive;
  }

  /** Calls `listener` with every event from now on. Returns the function that ends it. */
  subscribe(listener: Listener<AgentSessionEvent>): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Sends a prompt and resolves when everything it started has settled. What fails on the way (the provider, a tool) is in the
   * transcript: see the last message's `stopReason` and `errorMessage`.
   *
   * @throws {SessionError} When the prompt is refused: `busy`, `disposed`, `no_model`, `no_credentials`, `invalid_input`. Nothing is
   *   stored then.
   */
  async prompt(text: string, options: PromptOptions = {}): Promise<void> {
    const { settled } = await this.submit(text, options);
    await settled;
  }

  /** As `prompt`, but resolves when the prompt is accepted: checked and stored. Its run goes on; `settled` tells when it is over. */
  async submit(text: string, options: PromptOptions = {}): Promise<PromptRun> {
    const { signal, streamingBehavior, ...input } = options;
    if (this.isStreaming && streamingBehavior) {
      this.queue(streamingBehavior, { text, ...input });
      return { settled: this.waitForIdle() };
    }
    return this.#runs.start(async () => {
      const { model } = this;
      if (!model) {
        throw new SessionError("no_model", "No model is chosen. Choose one with set_model or --model, for example demo/tour.");
      }
      const message = createUserMessage({ text, ...input });
      await this.#parts.models.requireCredentials(model);
      this.#prepareSystemPrompt();
      await this.#transcript.recordChoices();
      await this.#transcript.accept(message);
      this.#limits.start();
      return message;
    }, signal);
  }

  /**
   * Queues a message: `steer` goes in before the next model call of the run, `followUp` when the run would end. While idle it waits and
   * starts nothing; the next prompt goes first.
   *
   * @throws {SessionError} `invalid_input`. Nothing is queued then.
   */
  queue(behavior: StreamingBehavior, input: PromptInput): void {
    const message = createUserMessage(input);
    if (behavior === "steer") this.#agent.steer(message);
    else this.#agent.followUp(message);
  }

  /** The texts that wait in the queues, first to go first. */
  queuedTexts(): { steering: string[]; followUp: string[] } {
    const { steering, followUps } = this.#agent;
    return { steering: steering.messages.map(textOf), followUp: followUps.messages.map(textOf) };
  }

  /** Empties both queues and returns the texts that were in them. */
  clearQueue(): { steering: string[]; followUp: string[] } {
    const { steering, followUps } = this.#agent;
    return { steering: steering.clear().map(textOf), followUp: followUps.clear().map(textOf) };
  }

  /** Aborts the run that is going, then submits the prompt. Resolves when the prompt is accepted. An unusable prompt aborts nothing. */
  async abortAndSubmit(text: string, options: PromptOptions = {}): Promise<PromptRun> {
    createUserMessage({ ...options, text });
    await this.abort();
    return this.submit(text, options);
  }

  /** How many steering messages go in at a time. */
  setSteeringMode(mode: QueueMode): void {
    this.#agent.steering.mode = mode;
  }

  /** How many follow-ups go in at a time. */
  setFollowUpMode(mode: QueueMode): void {
    this.#agent.followUps.mode = mode;
  }

  /** Whether steering may skip tool calls of the turn that have not started. */
  setInterruptMode(mode: InterruptMode): void {
    this.#agent.interruptMode = mode;
  }

  /** Whether answers that failed for a passing reason are asked for again. */
  setAutoRetry(enabled: boolean): void {
    this.#retry.enabled = enabled;
  }

  /** Ends a wait before a retry; the run ends with the answer that failed. */
  abortRetry(): void {
    this.#retry.cancel();
  }

  /** The limit that ended the last run; undefined when none did. */
  get reachedLimit(): LimitName | undefined {
    return this.#limits.reached;
  }

  /** Stops the run that is going, with its tools, and resolves when it has settled. Does nothing when idle. */
  abort(): Promise<void> {
    return this.#runs.abort();
  }

  /** Resolves when no run is going. */
  waitForIdle(): Promise<void> {
    return this.#runs.waitForIdle();
  }

  /** Answers with this model from the next model call on. */
  async setModel(model: Model): Promise<void> {
    this.#agent.state.model = await this.#parts.models.prepare(model);
    this.#agent.state.thinkingLevel = clampThinkingLevel(this.#parts.thinkingLevel, model);
    await this.#transcript.recordChoices();
  }

  /** The model of that provider and id; undefined when there is none. */
  findModel(provider: string, modelId: string): Promise<Model | undefined> {
    return this.#parts.models.find(provider, modelId);
  }

  /** The models whose provider has credentials or needs none. */
  availableModels(): Promise<Model[]> {
    return this.#parts.models.available();
  }

  /** Settles the run that is going and begins an empty conversation with the same model, folder and store. */
  async newSession(options: { parentSession?: string } = {}): Promise<void> {
    this.abortBash();
    const left = await this.#runs.between(() => {
      const { conversation } = this.#transcript;
      this.#transcript.replace(this.#parts.createConversation({ cwd: this.cwd, ...options }));
      this.#systemPromptIsReady = false;
      this.clearQueue();
      return conversation;
    });
    await left.close();
  }

  /**
   * Runs a shell command of the user's own. The model reads command and output with its next request, unless they are excluded.
   * Resolves when both are stored.
   */
  async bash(
    command: string,
    options: { excludeFromContext?: boolean; onOutput?: (chunk: string) => void; signal?: AbortSignal } = {},
  ): Promise<BashResult> {
    const { conversation } = this.#transcript;
    const result = await this.#shell.run(command, { cwd: this.cwd, onOutput: options.onOutput, signal: options.signal });
    // A command of a conversation that has been left has nowhere to be told.
    if (conversation === this.#transcript.conversation) {
      await this.#transcript.insert(toBashMessage(command, result, options.excludeFromContext ?? false));
    }
    return result;
  }

  /** Stops all shell commands of the user's own. */
  abortBash(): void {
    this.#shell.abort();
  }

  /** The text of the last assistant message; null when there is none. */
  lastAssistantText(): string | null {
    const message = this.messages.findLast(({ role }) => role === "assistant");
    if (message?.role !== "assistant") return null;
    return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  }

  /** What `get_state` answers, but for the stream mode, which belongs to the connection. */
  state(): Omit<SessionState, "streamMode"> {
    const agent = this.#agent;
    const { conversation } = this.#transcript;
    const queuedMessageCount = agent.queuedCount;
    const messageCount = this.messages.length;
    return {
      model: agent.state.model ? toWireModel(agent.state.model) : null,
      thinkingLevel: agent.state.thinkingLevel,
      isStreaming: this.isStreaming,
      isCompacting: false,
      queueMode: agent.steering.mode,
      steeringMode: agent.steering.mode,
      followUpMode: agent.followUps.mode,
      interruptMode: agent.interruptMode,
      sessionFile: conversation.path,
      sessionId: conversation.header.id,
      sessionName: conversation.name,
      autoCompactionEnabled: true,
      autoRetryEnabled: this.#retry.enabled,
      messageCount,
      queuedMessageCount,
      pendingMessageCount: queuedMessageCount,
      todoPhases: [],
    };
  }

  /** Stops everything that the session started and lets go of its subscribers and its file. Safe to call twice. */
  async dispose(): Promise<void> {
    await Promise.all([this.#shell.stop(), this.#runs.close()]);
    await this.#transcript.conversation.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #closeRetry(event: AgentEvent): Promise<void> | undefined {
    if (event.type !== "message_end" || event.message.role !== "assistant") return undefined;
    return this.#retry.observe(event.message);
  }

  #prepareSystemPrompt(): void {
    if (this.#systemPromptIsReady) return;
    this.#agent.state.systemPrompt = this.#parts.buildSystemPrompt();
    this.#systemPromptIsReady = true;
  }
}

/** The level nearest to the wanted one that the model supports. */
export function clampThinkingLevel(level: ThinkingLevel, model: Model | undefined): ThinkingLevel {
  return model?.reasoning ? level : "off";
}

/** The text of a user message as it was typed: documents and images left out. */
function textOf(message: AgentMessage): string {
  if (message.role !== "user") return "";
  if (typeof message.content === "string") return message.content;
  const documents = message.attachments?.filter(({ type }) => type === "document") ?? [];
  const texts = message.content.filter((block) => block.type === "text");
  return texts.length > documents.length ? (texts[0]?.text ?? "") : "";
}
