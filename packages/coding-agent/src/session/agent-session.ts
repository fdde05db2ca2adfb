import type { AgentMessage, Listener } from "@pikit/agent";
import type { ApprovalRules } from "../approvals/policy.ts";
import type { RestoreOptions } from "../checkpoints/checkpoints.ts";
import { isAbortNote } from "../conversation/messages.ts";
import type { InputSource } from "../extensions/events.ts";
import type { SlashCommands } from "../extensions/slash-commands.ts";
import type { ModelChoice } from "../models/model-choice.ts";
import { createUserMessage, type PromptInput } from "../prompt/prompt-input.ts";
import type {
  CompactionResult,
  FileRestore,
  SessionState,
  SessionStats,
  SlashCommand,
  StreamingBehavior,
} from "../protocol/data.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import type { Compactor } from "../run/compaction/compactor.ts";
import type { LimitGuard } from "../run/limits.ts";
import type { PromptRun } from "../run/run-controller.ts";
import type { TraceContext } from "../trace-context.ts";
import type { UserSlot } from "../user-interface.ts";
import { noCommand, preparePrompt, receiveInput, startRun } from "./accept-prompt.ts";
import type { AgentSessionEvent } from "./events.ts";
import type { SessionInstrumentation } from "./instrumentation.ts";
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
  /** Further instructions for the summary. */
  instructions?: string | undefined;
  signal?: AbortSignal;
  /** Called when the current run has settled and the compaction begins. */
  onStarted?(): void;
}

export interface PromptOptions extends Omit<PromptInput, "text"> {
  /** Aborts the run. */
  signal?: AbortSignal;
  /** How to queue the prompt during a run. Without it, a prompt during a run is refused with `busy`. */
  streamingBehavior?: StreamingBehavior | undefined;
  /**
   * An id that is stored with the prompt, in the same entry, so that another process can ask `history.hasPrompt` whether the session has it.
   * A queued prompt is stored without it. Unique in the session.
   */
  promptId?: string | undefined;
  /** The trace that the run belongs to, for the instrumentation. A queued prompt belongs to the trace of the current run. Default: none. */
  trace?: TraceContext | undefined;
  /** The sender. Default: a client in RPC mode, else a person. */
  source?: InputSource | undefined;
  /** Whether `/name` calls commands, templates and skills. Default: true. */
  isExpanded?: boolean | undefined;
}

/**
 * A conversation with a coding agent: one run at a time, stored as it happens, observed through events. Created by `createAgentSession`.
 *
 * The session itself takes prompts, starts and ends. Everything else is a method of one of its parts, such as `session.models.set(model)`.
 * After `dispose`, every method that would change the session or one of its parts throws `disposed`.
 *
 * Events are live objects: the message of a `message_update` keeps growing until its `message_end`.
 */
export class AgentSession {
  /** The available models, the current one, and its thinking level. */
  readonly models: ModelChoice;
  /** The tools of the model. */
  readonly tools: ToolSet;
  /** Which tool calls may run. */
  readonly approvals: ApprovalRules;
  /** The conversation as a tree on disk: entries, branches, forks, other sessions. */
  readonly history: SessionHistory;
  /** Queued messages: steering and follow-ups. */
  readonly queues: Pick<SessionQueues, "count" | "texts" | "take" | "takeAll" | "clear" | "setMode" | "setInterruptMode">;
  /** Shell commands of the user. */
  readonly shell: Pick<SessionShell, "run" | "abort">;
  /** The model's list of tasks. */
  readonly todos: Pick<SessionTodos, "phases" | "set">;
  /** Retries of model calls after temporary failures. */
  readonly retries: Pick<SessionRetries, "enabled" | "setEnabled" | "cancel">;
  /** Automatic compaction, and the use of the context window. `compact` compacts now. */
  readonly compaction: Pick<Compactor, "enabled" | "setEnabled" | "isCompacting" | "contextUsage">;
  /** The limits of one run. */
  readonly limits: Pick<LimitGuard, "reached" | "remaining">;
  /** The slash commands of extensions. They do not go to the model. */
  readonly commands: SlashCommands;
  /** The user interface for questions. A mode that shows the session connects its own. */
  readonly user: UserSlot;
  /** The request of an extension to end the process. */
  readonly shutdown: ShutdownRequest;
  readonly #parts: SessionParts;
  #started: Promise<void> | undefined;
  #disposal: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { life } = parts;
    this.models = life.guard(parts.models, ["set", "setHostModels", "setLevel", "cycle", "cycleLevel", "follow"]);
    this.tools = life.guard(parts.tools, ["workIn"], ["add", "replace", "activate"]);
    this.approvals = parts.approvalRules;
    this.history = life.guard(parts.history, ["setName", "setLabel", "startNew", "open", "fork", "clone", "branch", "goTo"]);
    this.queues = life.guard(parts.queues, ["take", "takeAll", "clear"], ["setMode", "setInterruptMode"]);
    this.shell = life.guard(parts.shell, ["run"]);
    this.todos = life.guard(parts.todos, ["set"]);
    this.retries = life.guard(parts.retries, [], ["setEnabled"]);
    this.compaction = life.guard(parts.compactor, [], ["setEnabled"]);
    this.limits = parts.limits;
    this.commands = parts.commands;
    this.user = parts.user;
    this.shutdown = new ShutdownRequest(() => Promise.all([this.waitForIdle(), parts.commandRuns.waitForIdle()]));
  }

  /** The messages of the active branch, from which the model's context is built. A live array: do not change it. */
  get messages(): readonly AgentMessage[] {
    return this.#parts.agent.state.messages;
  }

  get sessionId(): string {
    return this.#parts.transcript.conversation.header.id;
  }

  /** The path of the session file; null for a session in memory. The file exists from the first message on. */
  get sessionFile(): string | null {
    return this.#parts.transcript.conversation.path;
  }

  /** The working folder of the tools. */
  get cwd(): string {
    return this.#parts.transcript.conversation.header.cwd;
  }

  /** True from the acceptance of a prompt until its run has settled. */
  get isStreaming(): boolean {
    return this.#parts.runs.isActive;
  }

  /** Calls `listener` with every event from now on. Returns a function that removes the listener. */
  subscribe(listener: Listener<AgentSessionEvent>): () => void {
    return this.#parts.events.subscribe(listener);
  }

  /**
   * Observes the session and its sub-tasks with traces and metrics. Returns a function that ends the observation.
   *
   * @throws {SessionError} `invalid_input` if the session has an instrumentation already.
   */
  instrument(instrumentation: SessionInstrumentation): () => void {
    return this.#parts.instruments.set(instrumentation);
  }

  /**
   * Calls the start handlers of extensions, once. For callers that created the session with `autoStart: false`. Resolves when the handlers
   * have finished; they may ask the user. Never rejects.
   */
  start(): Promise<void> {
    if (this.#disposal !== undefined) return Promise.resolve();
    // Set before the first handler runs, because the handler may send a prompt.
    this.#started ??= Promise.resolve().then(() => this.#parts.hooks.current?.start?.("startup"));
    return this.#started;
  }

  /**
   * Sends a prompt and resolves when everything it started has settled. Failures of the provider or of a tool do not reject: see
   * `stopReason` and `errorMessage` of the last message.
   *
   * @throws {SessionError} When the prompt is refused: `busy`, `disposed`, `no_model`, `no_credentials`, `invalid_input`, `locked`. Nothing is
   *   stored then.
   */
  async prompt(text: string, options: PromptOptions = {}): Promise<void> {
    const { settled } = await this.submit(text, options);
    await settled;
  }

  /**
   * Like `prompt`, but resolves when the prompt is accepted: checked and stored. `settled` of the result resolves at the end of its run.
   * A text that calls a command is never refused: the command runs beside the current run.
   */
  async submit(text: string, options: PromptOptions = {}): Promise<PromptRun> {
    this.#parts.life.requireOpen();
    // A start handler may send a prompt: it must not wait for itself.
    if (!this.#started) await this.start();
    const { signal, streamingBehavior, promptId, trace, source, isExpanded = true, ...input } = options;
    const call = isExpanded ? this.commands.find(text) : undefined;
    if (call) return this.#parts.commandRuns.start(call);
    if (this.isStreaming && streamingBehavior) {
      await this.queue(streamingBehavior, { text, ...input }, { source, isExpanded });
      return { settled: this.waitForIdle() };
    }
    const received = await receiveInput(this.#parts, { text, ...input }, { source });
    if (!received) return this.#parts.commandRuns.start(noCommand);
    const prepare = () => preparePrompt(this.#parts, received, { signal, isExpanded });
    return startRun(this.#parts, prepare, { signal, promptId, trace });
  }

  /**
   * Continues a run that has no complete answer, such as that of a process that was killed, or one that failed or was aborted. A tool call
   * without a result is not run again: its result tells the model that its effect is unknown. Then the model is called.
   *
   * @returns Undefined, and nothing happens, if the last answer is complete or the conversation is empty.
   * @throws {SessionError} Like `prompt`.
   */
  async resume({ signal }: { signal?: AbortSignal } = {}): Promise<PromptRun | undefined> {
    this.#parts.life.requireOpen();
    if (!this.#started) await this.start();
    return (await import("./interrupted-run.ts")).resumeRun(this.#parts, signal);
  }

  /** Aborts the current run, then submits the prompt. Resolves when the prompt is accepted. An invalid prompt aborts nothing. */
  async abortAndSubmit(text: string, options: PromptOptions = {}): Promise<PromptRun> {
    this.#parts.life.requireOpen();
    createUserMessage({ ...options, text });
    await this.abort();
    return this.submit(text, options);
  }

  /**
   * Queues a message: `steer` is sent before the next model call of the run, `followUp` when the run would end. While idle the message
   * waits for the next prompt: a steering message is sent before that prompt, a follow-up after it. Resolves when it is stored.
   *
   * @throws {SessionError} `invalid_input`. Nothing is queued then.
   */
  async queue(
    behavior: StreamingBehavior,
    input: PromptInput,
    { source, isExpanded = true }: Pick<PromptOptions, "source" | "isExpanded"> = {},
  ): Promise<void> {
    const { commandRuns, life, prompts, queues } = this.#parts;
    await life.change(async () => {
      const call = isExpanded ? this.commands.find(input.text) : undefined;
      if (call) return void commandRuns.start(call);
      const received = await receiveInput(this.#parts, input, { source, behavior });
      if (!received) return;
      const text = isExpanded ? await prompts.expand(received.text, this.cwd) : received.text;
      await queues.add(behavior, { ...received, text });
    });
  }

  /**
   * Adds a message of a program to the conversation. Without `behavior` the model gets it with the next prompt. With `behavior` it is
   * queued during a run, and starts a run while idle. Resolves when it is stored, or queued.
   *
   * @throws {SessionError} Like `prompt`, if it starts a run.
   */
  async send(message: CustomMessage, behavior?: StreamingBehavior): Promise<void> {
    const { life, queues, transcript, events } = this.#parts;
    life.requireOpen();
    if (behavior && this.isStreaming) queues.addMessage(behavior, message);
    else if (behavior) await startRun(this.#parts, async () => [message]);
    else {
      await transcript.insert(message);
      await events.emit({ type: "message_start", message });
      await events.emit({ type: "message_end", message });
    }
  }

  /** Aborts the current run with its tools, and the current compaction. Resolves when both have settled. Does nothing when idle. */
  async abort(): Promise<void> {
    this.#parts.hooks.current?.abort?.();
    await Promise.all([this.#parts.runs.abort(), this.#parts.compactor.abort()]);
  }

  /** Resolves when no run is active. */
  waitForIdle(): Promise<void> {
    return this.#parts.runs.waitForIdle();
  }

  /**
   * Aborts the current run, then summarises the older part of the conversation, whatever its size.
   *
   * @throws {SessionError} `busy` during another compaction, `no_model`, `nothing_to_compact`, `aborted`, `compaction_failed`.
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

  /**
   * Aborts the current run, then puts back the files that the last turn has changed. Called again, it goes one turn further back. A message
   * names the changed files for the model. A file that something else has changed since stays as it is, and is in `conflicts`.
   *
   * @throws {SessionError} `nothing_to_undo`.
   */
  undo(options: RestoreOptions = {}): Promise<FileRestore> {
    return this.#restore("undo", options);
  }

  /** Takes back the last `undo`, or the last move with `restoreFiles`, unless tools have changed files since. Otherwise like `undo`. */
  redo(options: RestoreOptions = {}): Promise<FileRestore> {
    return this.#restore("redo", options);
  }

  async #restore(kind: "undo" | "redo", options: RestoreOptions): Promise<FileRestore> {
    const { life, runs, checkpoints } = this.#parts;
    if (options.dryRun) return checkpoints[kind](options);
    const result = await life.change(() => runs.between(() => checkpoints[kind](options)));
    const { restoreNote } = await import("../checkpoints/restore-note.ts");
    const note = restoreNote(kind, result);
    if (note) await this.send(note);
    return result;
  }

  /** The slash commands that a prompt can begin with: commands of extensions, prompt templates, skills. */
  async listCommands(): Promise<SlashCommand[]> {
    const { withSourceInfo } = await import("../source-info.ts");
    return [...this.commands.list(), ...(await this.#parts.prompts.commands(this.cwd))].map(withSourceInfo);
  }

  /** The text of the last assistant message; null if there is none. Messages that only report an abort do not count. */
  lastAssistantText(): string | null {
    const message = this.messages.findLast((each) => each.role === "assistant" && !isAbortNote(each));
    if (message?.role !== "assistant") return null;
    return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  }

  /** The answer to `get_state`, without the stream mode, which belongs to the connection. */
  state(): Omit<SessionState, "streamMode"> {
    return readState(this.#parts);
  }

  /** Counts, tokens and cost of the whole session, and the use of the context window. */
  stats(): SessionStats {
    return readStats(this.#parts);
  }

  /**
   * Loads the modules for the first prompt: the model's adapter and SDK, the reader of context files, the code of the tools. Call it when
   * the process is idle; it takes about as long as a start. Sends nothing and changes nothing. Never rejects.
   */
  warmUp(): Promise<void> {
    return loadForRun(this.models.current);
  }

  /**
   * Ends the session because the program cannot continue: emits the problem as an `error` event, requests the end of the process, and
   * disposes of the session, so that everything is stored.
   */
  async fail(problem: string): Promise<void> {
    // Not awaited: handlers of extensions may be slow.
    void this.#parts.events.emit({ type: "error", error: problem });
    this.shutdown.request();
    await this.dispose();
  }

  /**
   * Stops everything that the session started, removes its subscribers and closes its file. From the call on, every change of the session
   * is refused with `disposed`; earlier changes settle first. No event is delivered after it has resolved. Everything readable stays
   * readable. Safe to call twice.
   */
  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    const { life, commandRuns, shell, runs, compactor, hooks, tools, transcript, queueUpdates, events } = this.#parts;
    life.close();
    commandRuns.close();
    // Called before waiting for the run, because the run may wait for a handler.
    hooks.current?.abort?.();
    await Promise.all([shell.stop(), runs.close(), compactor.abort()]);
    await life.settle();
    await hooks.current?.shutdown?.();
    await Promise.all([tools.dispose(), this.#parts.stopProcesses()]);
    queueUpdates.flush();
    await transcript.conversation.close();
    events.silence();
    this.#parts.instruments.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
