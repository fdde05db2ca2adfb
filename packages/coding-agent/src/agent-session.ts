import type { AgentMessage, InterruptMode, Listener, QueueMode } from "@pikit/agent";
import type { Model, RequestedThinkingLevel, ThinkingLevel } from "@pikit/ai";
import type { Conversation } from "./conversation/conversation.ts";
import { isAbortNote } from "./conversation/messages.ts";
import type { SlashCommands } from "./extensions/slash-commands.ts";
import type { ModelChoice } from "./models/model-choice.ts";
import { createUserMessage, type PromptInput } from "./prompt/prompt-input.ts";
import type {
  BashResult,
  CompactionResult,
  SessionState,
  SessionStats,
  SlashCommand,
  TodoPhase,
  TodoPhaseInput,
} from "./protocol/data.ts";
import type { LimitName } from "./protocol/events.ts";
import type { CustomMessage } from "./protocol/messages.ts";
import { loadForRun } from "./run/load-for-run.ts";
import type { PromptRun } from "./run/run-controller.ts";
import type { SessionHistory } from "./run/session-history.ts";
import type { QueuedTexts, StreamingBehavior } from "./run/session-queues.ts";
import { toBashMessage } from "./run/shell-commands.ts";
import type { ToolSet } from "./run/tool-set.ts";
import { type AgentSessionEvent, type ConnectedParts, offerTodos } from "./session-parts.ts";
import { preparePrompt, startRun } from "./session-prompts.ts";
import { readState, readStats } from "./session-state.ts";
import type { UserInterface } from "./user-interface.ts";

export type { AgentSessionEvent };

export interface CompactOptions {
  instructions?: string | undefined;
  signal?: AbortSignal;
  onStarted?(): void;
}

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
  /** The models there are, which of them answers, and how hard it thinks. */
  readonly models: ModelChoice;
  /** The tools that the model has. */
  readonly tools: ToolSet;
  /** The conversation as a tree on disk: entries, branches, forks, other sessions. */
  readonly history: SessionHistory;
  /** What a prompt can be that is not for the model: the commands of extensions. */
  readonly commands: SlashCommands;
  readonly #parts: ConnectedParts;
  #started: Promise<void> | undefined;
  #disposal: Promise<void> | undefined;
  readonly #shutdown = Promise.withResolvers<void>();
  #isShuttingDown = false;

  /** @param parts - As `connectParts` makes them. */
  constructor(parts: ConnectedParts) {
    this.#parts = parts;
    const { life } = parts;
    this.models = life.guard(parts.models, ["set", "setLevel", "cycle", "cycleLevel", "follow"]);
    this.tools = life.guard(parts.tools, ["workIn"], ["add", "replace"]);
    this.history = life.guard(parts.history, ["setName", "setLabel", "startNew", "open", "fork", "clone", "branch"]);
    this.commands = parts.commands;
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
    return this.#parts.transcript.conversation.header.id;
  }

  /** The session file; null in memory. It exists from the first message on. */
  get sessionFile(): string | null {
    return this.#parts.transcript.conversation.path;
  }

  /** The folder that tools work in. */
  get cwd(): string {
    return this.#parts.transcript.conversation.header.cwd;
  }

  /** The header that a file or an event stream of this session begins with. */
  get header(): Conversation["header"] {
    return this.#parts.transcript.conversation.header;
  }

  /** What could not be read of the session's file when it was opened, for people; empty when all was. */
  get diagnostics(): readonly string[] {
    return this.#parts.transcript.conversation.diagnostics;
  }

  /**
   * Why not all of the conversation is stored, which has been told by an `error` event too; undefined when it is. What is missing is stored with
   * the next entry, and tried a last time by `dispose`.
   */
  get unsavedReason(): string | undefined {
    return this.#parts.transcript.unsavedReason;
  }

  /** From the acceptance of a prompt until it has settled. */
  get isStreaming(): boolean {
    return this.#parts.runs.isActive;
  }

  /** Calls `listener` with every event from now on. Returns the function that ends it. */
  subscribe(listener: Listener<AgentSessionEvent>): () => void {
    return this.#parts.listeners.add(listener);
  }

  /** Whoever is asked now. */
  get user(): UserInterface {
    return this.#parts.user;
  }

  /** Asks this one from now on, in the place of who was asked before. Returns the function that puts that one back. */
  connectUser(user: UserInterface): () => void {
    const slot = this.#parts.user;
    const former = slot.current;
    slot.current = user;
    return () => {
      if (slot.current === user) slot.current = former;
    };
  }

  /**
   * Tells extensions that the session begins, unless they have been told: for those who have made it with `autoStart: false`. Resolves
   * when their handlers are done, which may ask the user. Never rejects.
   */
  start(): Promise<void> {
    if (this.#disposal !== undefined) return Promise.resolve();
    // Known before the first handler runs, which may send a prompt.
    this.#started ??= Promise.resolve().then(() => this.#parts.hooks.current?.start?.("start"));
    return this.#started;
  }

  /** Whether an extension has asked for the end of the process; `shutdownRequested` says when it is time. */
  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /** Resolves when an extension has asked for the end of the process, and what is going has settled. */
  get shutdownRequested(): Promise<void> {
    return this.#shutdown.promise;
  }

  /** Asks the owner of the session to end the process as soon as what is going has settled. */
  requestShutdown(): void {
    if (this.#isShuttingDown) return;
    this.#isShuttingDown = true;
    const settled = Promise.all([this.waitForIdle(), this.#parts.commandRuns.waitForIdle()]);
    void settled.then(() => this.#shutdown.resolve());
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

  /**
   * As `prompt`, but resolves when the prompt is accepted: checked and stored. Its run goes on; `settled` tells when it is over. A text that
   * calls a command is never refused: it runs beside the run that is going.
   */
  async submit(text: string, options: PromptOptions = {}): Promise<PromptRun> {
    this.#parts.life.requireOpen();
    // Not where it is being told: what a handler sends then must not wait for the handler.
    if (!this.#started) await this.start();
    const { signal, streamingBehavior, ...input } = options;
    const call = this.commands.find(text);
    if (call) return this.#parts.commandRuns.start(call);
    if (this.isStreaming && streamingBehavior) {
      await this.queue(streamingBehavior, { text, ...input });
      return { settled: this.waitForIdle() };
    }
    return startRun(this.#parts, () => preparePrompt(this.#parts, { text, ...input }, signal), signal);
  }

  /**
   * Adds a message of a program to the conversation. Without `behavior` nobody answers it until the next prompt; otherwise it is queued
   * while a run is going, and starts one while idle. Resolves when it is stored, or queued.
   *
   * @throws {SessionError} As `prompt`, where it starts a run.
   */
  async send(message: CustomMessage, behavior?: StreamingBehavior): Promise<void> {
    this.#parts.life.requireOpen();
    if (behavior && this.isStreaming) this.#parts.queues.addMessage(behavior, message);
    else if (behavior) await startRun(this.#parts, async () => message);
    else {
      await this.#parts.transcript.insert(message);
      await this.#parts.emit({ type: "message_start", message });
      await this.#parts.emit({ type: "message_end", message });
    }
  }

  /**
   * Queues a message: `steer` goes in before the next model call of the run, `followUp` when the run would end. While idle it waits and
   * starts nothing: with the next prompt, what steers goes in front of it, and what follows comes after it. Resolves when it is stored.
   *
   * @throws {SessionError} `invalid_input`. Nothing is queued then.
   */
  async queue(behavior: StreamingBehavior, input: PromptInput): Promise<void> {
    const { commandRuns, life, queues, expandPrompt } = this.#parts;
    await life.change(async () => {
      const call = this.commands.find(input.text);
      if (call) commandRuns.start(call);
      else await queues.add(behavior, { ...input, text: await expandPrompt(input.text, this.cwd) });
    });
  }

  /** The texts that wait in the queues, first to go first. */
  queuedTexts(): QueuedTexts {
    return this.#parts.queues.texts;
  }

  /** Empties both queues and returns the texts that were in them. */
  clearQueue(): Promise<QueuedTexts> {
    return this.#parts.life.change(() => this.#parts.queues.clear());
  }

  /** Aborts the run that is going, then submits the prompt. Resolves when the prompt is accepted. An unusable prompt aborts nothing. */
  async abortAndSubmit(text: string, options: PromptOptions = {}): Promise<PromptRun> {
    this.#parts.life.requireOpen();
    createUserMessage({ ...options, text });
    await this.abort();
    return this.submit(text, options);
  }

  /** How many steering messages go in at a time. */
  setSteeringMode(mode: QueueMode): void {
    this.#parts.life.requireOpen();
    this.#parts.agent.steering.mode = mode;
  }

  /** How many follow-ups go in at a time. */
  setFollowUpMode(mode: QueueMode): void {
    this.#parts.life.requireOpen();
    this.#parts.agent.followUps.mode = mode;
  }

  /** Whether steering may skip tool calls of the turn that have not started. */
  setInterruptMode(mode: InterruptMode): void {
    this.#parts.life.requireOpen();
    this.#parts.agent.interruptMode = mode;
  }

  /** Whether answers that failed for a passing reason are asked for again. */
  setAutoRetry(enabled: boolean): void {
    this.#parts.life.requireOpen();
    for (const retry of this.#parts.retries) retry.enabled = enabled;
  }

  /** Ends a wait before a retry; the run ends with the answer that failed. */
  abortRetry(): void {
    for (const retry of this.#parts.retries) retry.cancel();
  }

  /** The limit that ended the last run; undefined when none did. */
  get reachedLimit(): LimitName | undefined {
    return this.#parts.limits.reached;
  }

  /** Stops the run that is going, with its tools, and a compaction; resolves when both have settled. Does nothing when idle. */
  async abort(): Promise<void> {
    this.#parts.hooks.current?.abort?.();
    await Promise.all([this.#parts.runs.abort(), this.#parts.compactor.abort()]);
  }

  /**
   * Settles the run that is going, then summarises the older part of the conversation, whatever its size.
   *
   * @param options - `instructions`: what the summary is to look at in particular; `onStarted`: called when the run has settled.
   * @throws {SessionError} `busy` while another compaction is going, `no_model`, `nothing_to_compact`, `aborted`, `compaction_failed`.
   *   The conversation is unchanged then.
   */
  async compact({ instructions, signal, onStarted }: CompactOptions = {}): Promise<CompactionResult> {
    this.#parts.life.requireOpen();
    await this.#parts.runs.abort();
    this.#parts.life.requireOpen();
    const result = this.#parts.compactor.compact(instructions, signal);
    onStarted?.();
    return result;
  }

  /** Whether the conversation is compacted by itself when it comes near the end of the model's window. */
  setAutoCompaction(enabled: boolean): void {
    this.#parts.life.requireOpen();
    this.#parts.compactor.enabled = enabled;
  }

  /**
   * Replaces the list of what is to be done and shows it to the model, which from now on can change it with the `todo` tool.
   *
   * @returns The list with missing ids filled in.
   * @throws {SessionError} `invalid_input`; the list stays as it was.
   */
  async setTodos(phases: readonly TodoPhaseInput[]): Promise<TodoPhase[]> {
    const { life, todos, tools } = this.#parts;
    return life.change(async () => {
      const normalised = await todos.set(phases, "host");
      await offerTodos(tools, todos);
      return normalised;
    });
  }

  /** What a prompt can begin with, and what it does then: commands of extensions, prompt templates, skills. */
  async listCommands(): Promise<SlashCommand[]> {
    return [...this.commands.list(), ...(await this.#parts.listPrompts(this.cwd))];
  }

  /** Counts, tokens and cost of the whole session, and how full the model's window is. */
  stats(): SessionStats {
    return readStats(this.#parts);
  }

  /**
   * Loads what the first prompt needs beyond what a session needs: the model's adapter and SDK, what reads context files, what runs
   * tools. For the owner of a session to call when nothing else is to be done; it takes about as long as a start. Sends nothing and
   * changes nothing. Never rejects.
   */
  warmUp(): Promise<void> {
    return loadForRun(this.model);
  }

  /** Resolves when no run is going. */
  waitForIdle(): Promise<void> {
    return this.#parts.runs.waitForIdle();
  }

  /** Answers with this model from the next model call on. */
  setModel(model: Model): Promise<void> {
    return this.models.set(model);
  }

  /** How hard the model thinks. */
  get thinkingLevel(): ThinkingLevel {
    return this.#parts.agent.state.thinkingLevel;
  }

  /** Thinks so hard from the next model call on; the level that the model has for it; `max` is its highest. */
  setThinkingLevel(level: RequestedThinkingLevel): Promise<void> {
    return this.models.setLevel(level);
  }

  /** Settles the run that is going and begins an empty conversation with the same model, folder and store. */
  newSession(options: { parentSession?: string } = {}): Promise<void> {
    return this.history.startNew({ cwd: this.cwd, ...options });
  }

  /** Settles the run that is going and goes on with another session; see `SessionHistory.open`. */
  switchSession(ref: string): Promise<void> {
    return this.history.open(ref);
  }

  /**
   * Runs a shell command of the user's own. The model reads command and output with its next request, unless they are excluded.
   * Resolves when both are stored.
   */
  async bash(
    command: string,
    options: { excludeFromContext?: boolean; onOutput?: (chunk: string) => void; signal?: AbortSignal } = {},
  ): Promise<BashResult> {
    const { life, shell, transcript } = this.#parts;
    return life.change(async () => {
      const { conversation } = transcript;
      const result = await shell.run(command, { cwd: this.cwd, onOutput: options.onOutput, signal: options.signal });
      // A command of a conversation that has been left has nowhere to be told.
      if (conversation === transcript.conversation) {
        await transcript.insert(toBashMessage(command, result, options.excludeFromContext ?? false));
      }
      return result;
    });
  }

  /** Stops all shell commands of the user's own. */
  abortBash(): void {
    this.#parts.shell.abort();
  }

  /**
   * Writes the active branch to a file as one HTML page that needs nothing else.
   *
   * @param outputPath - Relative to the working folder. Default: `pi-session-<id>.html`.
   * @returns The absolute path.
   * @throws {SessionError} `write_failed`, `read_failed`.
   */
  async exportHtml(outputPath?: string): Promise<string> {
    const { exportHtml } = await import("./export/export-html.ts");
    return exportHtml(this.#parts.transcript.conversation, { cwd: this.cwd, outputPath });
  }

  /** The text of the last assistant message; null when there is none. One that only says that the run was aborted does not count. */
  lastAssistantText(): string | null {
    const message = this.messages.findLast((each) => each.role === "assistant" && !isAbortNote(each));
    if (message?.role !== "assistant") return null;
    return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  }

  /** What `get_state` answers, but for the stream mode, which belongs to the connection. */
  state(): Omit<SessionState, "streamMode"> {
    return readState(this.#parts);
  }

  /**
   * Ends the session because the program cannot go on: tells the problem as an `error` event, asks the owner to end the process, and disposes of
   * what there is, all of which is stored.
   */
  async fail(problem: string): Promise<void> {
    // Handlers of extensions may take their time; nobody waits for them.
    void this.#parts.emit({ type: "error", error: problem });
    this.requestShutdown();
    await this.dispose();
  }

  /**
   * Stops everything that the session started and lets go of its subscribers and its file. From the call on, whatever would change the
   * session is refused with `disposed`; what has begun settles first. When it has resolved, nobody is told of anything. What can be read
   * stays readable. Safe to call twice.
   */
  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    const { life, commandRuns, shell, runs, compactor, hooks, tools, transcript, queueUpdates } = this.#parts;
    life.close();
    commandRuns.close();
    // A handler that is waited for must not hold what it has to decide about.
    hooks.current?.abort?.();
    await Promise.all([shell.stop(), runs.close(), compactor.abort()]);
    await life.settle();
    await hooks.current?.shutdown?.();
    await Promise.all([tools.dispose(), this.#parts.stopProcesses()]);
    queueUpdates.flush();
    await transcript.conversation.close();
    life.silence();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
