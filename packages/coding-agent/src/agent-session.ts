import type { Agent, AgentEvent, AgentMessage, Listener } from "@pikit/agent";
import { Listeners } from "@pikit/agent";
import type { Model, ThinkingLevel } from "@pikit/ai";
import type { Conversation, NewConversation } from "./conversation/conversation.ts";
import { SessionError } from "./errors.ts";
import type { ProcessRunner } from "./exec/run-process.ts";
import type { ModelRegistry } from "./models/model-registry.ts";
import { toWireModel } from "./models/wire-model.ts";
import { createUserMessage, type PromptInput } from "./prompt/prompt-input.ts";
import type { BashResult, SessionState } from "./protocol/data.ts";
import type { SessionEvent } from "./protocol/events.ts";
import { type PromptRun, RunController } from "./run/run-controller.ts";
import { ShellCommands, toBashMessage } from "./run/shell-commands.ts";
import { Transcript } from "./run/transcript.ts";

/** Everything that a session tells its subscribers. */
export type AgentSessionEvent = AgentEvent | SessionEvent;

/** The parts that a session is made of; `createAgentSession` puts them together. */
export interface AgentSessionParts {
  agent: Agent;
  conversation: Conversation;
  models: ModelRegistry;
  runProcess: ProcessRunner;
  /** Begins another conversation, stored where this one is. */
  createConversation(options: NewConversation): Conversation;
  /** Makes the system prompt; called before the first run, and again after a change of conversation. */
  buildSystemPrompt(): string;
  /** What the user chose; each model gets the nearest level that it supports. */
  thinkingLevel: ThinkingLevel;
}

export interface PromptOptions extends Omit<PromptInput, "text"> {
  /** Aborts the run. */
  signal?: AbortSignal;
}

/**
 * A conversation with a coding agent: one run at a time, stored as it happens, observed through events. Made by `createAgentSession`.
 *
 * Events are live objects: the message of a `message_update` goes on growing until its `message_end`.
 */
export class AgentSession {
  readonly #parts: AgentSessionParts;
  readonly #transcript: Transcript;
  readonly #runs: RunController;
  readonly #shell: ShellCommands;
  readonly #listeners = new Listeners<AgentSessionEvent>((error, event) => {
    console.error(`A listener of the session failed at ${event.type}:`, error);
  });
  #systemPromptIsReady = false;

  constructor(parts: AgentSessionParts) {
    this.#parts = parts;
    const { agent } = parts;
    this.#transcript = new Transcript(agent, parts.conversation, (error) => void this.#listeners.emit({ type: "error", error }));
    this.#runs = new RunController(agent, () => this.#listeners.emit({ type: "agent_settled" }));
    this.#shell = new ShellCommands(parts.runProcess);
    agent.subscribe((event) => {
      const stored = this.#transcript.observe(event);
      return stored === undefined ? this.#listeners.emit(event) : stored.then(() => this.#listeners.emit(event));
    });
  }

  /** The active branch as the model's context is built from it. Live: read it, do not change it. */
  get messages(): readonly AgentMessage[] {
    return this.#parts.agent.state.messages;
  }

  /** The model that answers; undefined when none is chosen. */
  get model(): Model | undefined {
    return this.#parts.agent.state.model;
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
  submit(text: string, options: PromptOptions = {}): Promise<PromptRun> {
    const { signal, ...input } = options;
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
      return message;
    }, signal);
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
    const { agent, thinkingLevel } = this.#parts;
    agent.state.model = model;
    agent.state.thinkingLevel = clampThinkingLevel(thinkingLevel, model);
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
    await this.#runs.between(() => {
      this.#transcript.replace(this.#parts.createConversation({ cwd: this.cwd, ...options }));
      this.#systemPromptIsReady = false;
    });
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
    const { agent } = this.#parts;
    const { conversation } = this.#transcript;
    const messageCount = this.messages.length;
    return {
      model: agent.state.model ? toWireModel(agent.state.model) : null,
      thinkingLevel: agent.state.thinkingLevel,
      isStreaming: this.isStreaming,
      isCompacting: false,
      queueMode: "one-at-a-time",
      steeringMode: "one-at-a-time",
      followUpMode: "one-at-a-time",
      interruptMode: "wait",
      sessionFile: conversation.path,
      sessionId: conversation.header.id,
      sessionName: conversation.name,
      autoCompactionEnabled: true,
      autoRetryEnabled: true,
      messageCount,
      queuedMessageCount: 0,
      pendingMessageCount: 0,
      todoPhases: [],
    };
  }

  /** Stops everything that the session started and lets go of its subscribers. Safe to call twice. */
  async dispose(): Promise<void> {
    await Promise.all([this.#shell.stop(), this.#runs.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #prepareSystemPrompt(): void {
    if (this.#systemPromptIsReady) return;
    this.#parts.agent.state.systemPrompt = this.#parts.buildSystemPrompt();
    this.#systemPromptIsReady = true;
  }
}

/** The level nearest to the wanted one that the model supports. */
export function clampThinkingLevel(level: ThinkingLevel, model: Model | undefined): ThinkingLevel {
  return model?.reasoning ? level : "off";
}
