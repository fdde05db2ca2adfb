import type { AgentMessage, Listener } from "@pikit/agent";
import { isAbortNote } from "../conversation/messages.ts";
import type { SlashCommands } from "../extensions/slash-commands.ts";
import type { ModelChoice } from "../models/model-choice.ts";
import { createUserMessage, type PromptInput } from "../prompt/prompt-input.ts";
import type { CompactionResult, SessionState, SessionStats, SlashCommand, StreamingBehavior } from "../protocol/data.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import type { Compactor } from "../run/compaction/compactor.ts";
import type { LimitGuard } from "../run/limits.ts";
import type { PromptRun } from "../run/run-controller.ts";
import type { UserSlot } from "../user-interface.ts";
import { preparePrompt, startRun } from "./accept-prompt.ts";
import type { AgentSessionEvent } from "./events.ts";
import type { SessionHistory } from "./parts/history.ts";
import type { SessionQueues } from "./parts/queues.ts";
import type { SessionRetries } from "./parts/retries.ts";
import type { SessionShell } from "./parts/shell.ts";
import type { SessionTodos } from "./parts/todos.ts";
import type { ToolSet } from "./parts/tool-set.ts";
import type { SessionParts } from "./parts.ts";
import { ShutdownRequest } from "./shutdown.ts";
import { readState, readStats } from "./state.ts";
import { loadForRun } from "./warm-up.ts";

export interface CompactOptions {
  /** What the summary is to look at in particular. */
  instructions?: string | undefined;
  signal?: AbortSignal;
  /** Called when the run that was going has settled and the compaction begins. */
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
 * The session itself takes prompts, and begins and ends; what it is made of is reached as its parts, such as `session.models.set(model)`.
 * After `dispose` every method that would change the session or one of its parts is refused with `disposed`.
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
  /** Messages that wait for their moment in a run. */
  readonly queues: Pick<SessionQueues, "count" | "texts" | "clear" | "setMode" | "setInterruptMode">;
  /** Shell commands of the user's own. */
  readonly shell: Pick<SessionShell, "run" | "abort">;
  /** The list of tasks that the model works on. */
  readonly todos: Pick<SessionTodos, "phases" | "set">;
  /** Retries of model calls that failed for a passing reason. */
  readonly retries: Pick<SessionRetries, "enabled" | "setEnabled" | "cancel">;
  /** Automatic compaction, and how full the model's window is; `compact` compacts now. */
  readonly compaction: Pick<Compactor, "enabled" | "setEnabled" | "isCompacting" | "contextUsage">;
  /** What one run may use up. */
  readonly limits: Pick<LimitGuard, "reached" | "remaining">;
  /** Prompts that are not for the model: the commands of extensions. */
  readonly commands: SlashCommands;
  /** The user who is asked; a mode that shows the session connects its own. */
  readonly user: UserSlot;
  /** The end of the process, where an extension has asked for it. */
  readonly shutdown: ShutdownRequest;
  readonly #parts: SessionParts;
  #started: Promise<void> | undefined;
  #disposal: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { life } = parts;
    this.models = life.guard(parts.models, ["set", "setLevel", "cycle", "cycleLevel", "follow"]);
    this.tools = life.guard(parts.tools, ["workIn"], ["add", "replace"]);
    this.history = life.guard(parts.history, ["setName", "setLabel", "startNew", "open", "fork", "clone", "branch"]);
    this.queues = life.guard(parts.queues, ["clear"], ["setMode", "setInterruptMode"]);
    this.shell = life.guard(parts.shell, ["run"]);
    this.todos = life.guard(parts.todos, ["set"]);
    this.retries = life.guard(parts.retries, [], ["setEnabled"]);
    this.compaction = life.guard(parts.compactor, [], ["setEnabled"]);
    this.limits = parts.limits;
    this.commands = parts.commands;
    this.user = parts.user;
    this.shutdown = new ShutdownRequest(() => Promise.all([this.waitForIdle(), parts.commandRuns.waitForIdle()]));
  }

  /** The active branch as the model's context is built from it. Live: read it, do not change it. */
  get messages(): readonly AgentMessage[] {
    return this.#parts.agent.state.messages;
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

  /** From the acceptance of a prompt until it has settled. */
  get isStreaming(): boolean {
    return this.#parts.runs.isActive;
  }

  /** Calls `listener` with every event from now on. Returns the function that ends it. */
  subscribe(listener: Listener<AgentSessionEvent>): () => void {
    return this.#parts.events.subscribe(listener);
  }

  /**
   * Tells extensions that the session begins, unless they have been told: for an owner that has made it with `autoStart: false`. Resolves
   * when their handlers are done, which may ask the user. Never rejects.
   */
  start(): Promise<void> {
    if (this.#disposal !== undefined) return Promise.resolve();
    // Set before the first handler runs, since that may send a prompt.
    this.#started ??= Promise.resolve().then(() => this.#parts.hooks.current?.start?.("start"));
    return this.#started;
  }

  /**
   * Sends a prompt and resolves when everything it started has settled. A failure on the way (of the provider, of a tool) is in the
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
    // A handler that sends a prompt while the session is being started must not wait for itself.
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

  /** Aborts the run that is going, then submits the prompt. Resolves when the prompt is accepted. An unusable prompt aborts nothing. */
  async abortAndSubmit(text: string, options: PromptOptions = {}): Promise<PromptRun> {
    this.#parts.life.requireOpen();
    createUserMessage({ ...options, text });
    await this.abort();
    return this.submit(text, options);
  }

  /**
   * Queues a message: `steer` goes in before the next model call of the run, `followUp` when the run would end. While idle it waits and
   * starts nothing: with the next prompt, a steering message goes in front of it, and a follow-up comes after it. Resolves when it is stored.
   *
   * @throws {SessionError} `invalid_input`. Nothing is queued then.
   */
  async queue(behavior: StreamingBehavior, input: PromptInput): Promise<void> {
    const { commandRuns, life, prompts, queues } = this.#parts;
    await life.change(async () => {
      const call = this.commands.find(input.text);
      if (call) commandRuns.start(call);
      else await queues.add(behavior, { ...input, text: await prompts.expand(input.text, this.cwd) });
    });
  }

  /**
   * Adds a message of a program to the conversation. Without `behavior` nobody answers it until the next prompt; otherwise it is queued
   * while a run is going, and starts one while idle. Resolves when it is stored, or queued.
   *
   * @throws {SessionError} As `prompt`, where it starts a run.
   */
  async send(message: CustomMessage, behavior?: StreamingBehavior): Promise<void> {
    const { life, queues, transcript, events } = this.#parts;
    life.requireOpen();
    if (behavior && this.isStreaming) queues.addMessage(behavior, message);
    else if (behavior) await startRun(this.#parts, async () => message);
    else {
      await transcript.insert(message);
      await events.emit({ type: "message_start", message });
      await events.emit({ type: "message_end", message });
    }
  }

  /** Stops the run that is going, with its tools, and a compaction; resolves when both have settled. Does nothing when idle. */
  async abort(): Promise<void> {
    this.#parts.hooks.current?.abort?.();
    await Promise.all([this.#parts.runs.abort(), this.#parts.compactor.abort()]);
  }

  /** Resolves when no run is going. */
  waitForIdle(): Promise<void> {
    return this.#parts.runs.waitForIdle();
  }

  /**
   * Settles the run that is going, then summarises the older part of the conversation, whatever its size.
   *
   * @throws {SessionError} `busy` while another compaction is going, `no_model`, `nothing_to_compact`, `aborted`, `compaction_failed`.
   *   The conversation is unchanged then.
   */
  async compact({ instructions, signal, onStarted }: CompactOptions = {}): Promise<CompactionResult> {
    const { life, runs, compactor } = this.#parts;
    life.requireOpen();
    await runs.abort();
    life.requireOpen();
    const result = compactor.compact(instructions, signal);
    onStarted?.();
    return result;
  }

  /** What a prompt can begin with, and what it does then: commands of extensions, prompt templates, skills. */
  async listCommands(): Promise<SlashCommand[]> {
    return [...this.commands.list(), ...(await this.#parts.prompts.commands(this.cwd))];
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
    return loadForRun(this.models.current);
  }

  /**
   * Ends the session because the program cannot go on: tells the problem as an `error` event, asks the owner to end the process, and
   * disposes of the session, so that everything is stored.
   */
  async fail(problem: string): Promise<void> {
    // Not awaited: handlers of extensions may take their time.
    void this.#parts.events.emit({ type: "error", error: problem });
    this.shutdown.request();
    await this.dispose();
  }

  /**
   * Stops everything that the session started and lets go of its subscribers and its file. From the call on, every change of the session
   * is refused with `disposed`; changes that have begun settle first. After it has resolved no event is delivered. Everything that can be
   * read stays readable. Safe to call twice.
   */
  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    const { life, commandRuns, shell, runs, compactor, hooks, tools, transcript, queueUpdates, events } = this.#parts;
    life.close();
    commandRuns.close();
    // Before the run is awaited, since the run may wait for a handler.
    hooks.current?.abort?.();
    await Promise.all([shell.stop(), runs.close(), compactor.abort()]);
    await life.settle();
    await hooks.current?.shutdown?.();
    await Promise.all([tools.dispose(), this.#parts.stopProcesses()]);
    queueUpdates.flush();
    await transcript.conversation.close();
    events.silence();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
