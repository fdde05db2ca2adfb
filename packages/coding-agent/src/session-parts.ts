import {
  type Agent,
  type AgentEvent,
  type AgentHooks,
  type AgentTool,
  Listeners,
  type PendingToolCall,
  type RequestOptions,
} from "@pikit/agent";
import type { Model, ThinkingLevel, Usage } from "@pikit/ai";
import type { BranchContext } from "./conversation/context.ts";
import type { Conversation } from "./conversation/conversation.ts";
import { toModelMessages } from "./conversation/messages.ts";
import type { SessionStore } from "./conversation/session-store.ts";
import { SessionError } from "./errors.ts";
import type { ProcessRunner } from "./exec/run-process.ts";
import { CommandRuns } from "./extensions/command-runs.ts";
import type { HookSlot } from "./extensions/hooks.ts";
import { SlashCommands } from "./extensions/slash-commands.ts";
import { ModelChoice, type ScopedModel } from "./models/model-choice.ts";
import type { ModelRegistry } from "./models/model-registry.ts";
import { createUserMessage } from "./prompt/prompt-input.ts";
import type { SlashCommand } from "./protocol/data.ts";
import type { SessionEvent } from "./protocol/events.ts";
import { AutoRetry, type RetrySettings } from "./run/auto-retry.ts";
import { Compactor } from "./run/compaction/compactor.ts";
import type { CompactionSettings } from "./run/compaction/policy.ts";
import { CurrentPrompt } from "./run/current-prompt.ts";
import { LimitGuard, type RunLimits } from "./run/limits.ts";
import { QueueUpdates } from "./run/queue-updates.ts";
import { RunController } from "./run/run-controller.ts";
import { RunSupervisor } from "./run/run-supervisor.ts";
import { SessionHistory } from "./run/session-history.ts";
import { SessionLife } from "./run/session-life.ts";
import { SessionQueues } from "./run/session-queues.ts";
import { ShellCommands } from "./run/shell-commands.ts";
import type { StreamRules, StreamRulesOptions } from "./run/stream-rules.ts";
import type { ToolPatterns } from "./run/tool-patterns.ts";
import { ToolSet } from "./run/tool-set.ts";
import { Transcript } from "./run/transcript.ts";
import { TodoList, todoEntryType } from "./todo/todo-list.ts";
import type { UserSlot } from "./user-interface.ts";

/** Everything that a session tells its subscribers. */
export type AgentSessionEvent = AgentEvent | SessionEvent;

/** What tools need of the session that they work for. */
export interface SessionToolParts {
  todos: TodoList;
  /** What a sub-task of the run may use up. */
  remainingLimits(): RunLimits;
  /** Counts what a sub-task has used. */
  countUsage(usage: Usage): void;
  /** The tools that the session has now. */
  tools(): readonly AgentTool[];
  /** The model that answers now. */
  model(): Model | undefined;
}

/** What a session is made of; `createAgentSession` puts it together. */
export interface AgentSessionParts {
  /** Makes the agent that the session runs; the hooks are the session's own. */
  createAgent(hooks: AgentHooks): Agent;
  conversation: Conversation;
  /** What the conversation says. */
  context: BranchContext;
  /** Where the conversation is kept, and others that the session goes to. */
  store: SessionStore;
  models: ModelRegistry;
  /** What the user chose; each model gets the nearest level that it supports. */
  thinkingLevel: ThinkingLevel;
  /** The models that `models.cycle` walks. Default: all that can be used. */
  modelScope?: readonly ScopedModel[] | undefined;
  runProcess: ProcessRunner;
  /** Ends what commands have left behind. */
  stopProcesses?(): Promise<void>;
  /** Makes the tools for a working folder; called again when a conversation is opened. */
  createTools(cwd: string, parts: SessionToolParts): AgentTool[];
  /** Makes the system prompt; called before the first run, and again after a change of conversation or tools. */
  buildSystemPrompt(cwd: string, tools: readonly AgentTool[]): string | Promise<string>;
  /** Gets ready what a run needs and nothing before it. Must not reject. */
  prepareRun?(signal: AbortSignal): Promise<void>;
  /** The prompt that a text stands for: a template's, a skill's. Default: the text itself. */
  expandPrompt?(text: string, cwd: string): Promise<string>;
  /** What there is to expand. Default: nothing. */
  listPrompts?(cwd: string): Promise<SlashCommand[]>;
  /** Further options of a model call, such as a key. */
  requestOptions(model: Model): RequestOptions | Promise<RequestOptions>;
  /** Asked before each tool call, when no limit forbids it. */
  beforeToolCall: NonNullable<AgentHooks["beforeToolCall"]>;
  retry: RetrySettings;
  compaction: CompactionSettings;
  limits: RunLimits;
  /** Makes the rules that answers are watched for. Default: none. */
  createRules?: ((options: StreamRulesOptions) => StreamRules) | undefined;
  /** Who is asked where a decision is needed. */
  user: UserSlot;
  /** Told of what is wrong and does not hinder the session. */
  report?(problem: string): void;
  /** Who else takes part in the session. Default: nobody. */
  hooks?: HookSlot;
  /** What users can call that is no prompt. */
  commands?: SlashCommands;
}

/** The parts of one session, connected with each other. */
export interface ConnectedParts {
  agent: Agent;
  listeners: Listeners<AgentSessionEvent>;
  transcript: Transcript;
  queues: SessionQueues;
  queueUpdates: QueueUpdates;
  models: ModelChoice;
  /** Whether the session can still be changed. */
  life: SessionLife;
  /** Of answers, and of the summaries of compactions. */
  retries: readonly [AutoRetry, AutoRetry];
  limits: LimitGuard;
  compactor: Compactor;
  todos: TodoList;
  tools: ToolSet;
  runs: RunController;
  shell: ShellCommands;
  history: SessionHistory;
  systemPrompt: CurrentPrompt;
  expandPrompt: NonNullable<AgentSessionParts["expandPrompt"]>;
  listPrompts: NonNullable<AgentSessionParts["listPrompts"]>;
  hooks: HookSlot;
  commands: SlashCommands;
  commandRuns: CommandRuns;
  user: UserSlot;
  emit(event: AgentSessionEvent): void | Promise<void>;
  requireCredentials(model: Model): Promise<void>;
  stopProcesses(): Promise<void>;
}

/** Connects the parts of a session: who is asked and told what, and in which order. */
export async function connectParts({ conversation, context, ...parts }: AgentSessionParts): Promise<ConnectedParts> {
  // Taken apart, so that the functions below do not hold on to a conversation that the session has left.
  const listeners = new Listeners<AgentSessionEvent>((error, event) => {
    console.error(`A listener of the session failed at ${event.type}:`, error);
  });
  const { hooks = { current: undefined }, commands = new SlashCommands() } = parts;
  let startedRuns = 0;
  const life = new SessionLife();
  const emit = (event: AgentSessionEvent) => {
    if (life.isSilent) return;
    if (event.type === "agent_start") startedRuns += 1;
    const told = listeners.emit(event);
    // After the subscribers, so that a slow extension does not keep the event from whoever shows it.
    return told === undefined ? hooks.current?.observe?.(event) : observeAfter(told, event);
  };
  // Functions of their own, here and below: a closure would cost each delta memory, also where it is not made.
  const observeAfter = (told: Promise<void>, event: AgentSessionEvent) => told.then(() => hooks.current?.observe?.(event));
  const supervisor = new RunSupervisor();
  let toolPatterns: ToolPatterns | undefined;
  const agent = parts.createAgent({
    ...supervisor.hooks(parts.createRules !== undefined),
    toModelMessages(messages) {
      const seen = hooks.current?.context?.(messages);
      return seen === undefined ? toModelMessages(messages) : seen.then(toModelMessages);
    },
    async patternsFor(tool) {
      toolPatterns ??= new (await import("./run/tool-patterns.ts")).ToolPatterns((problem) => parts.report?.(problem));
      return toolPatterns.forTool(tool);
    },
    afterToolCall: (call, outcome, signal) => hooks.current?.toolResult?.(call, outcome, signal),
    onQueueChange: () => queueUpdates.noteChange(),
  });
  const transcript = new Transcript(agent, conversation, context, (error) => {
    void emit({ type: "error", error });
    return listeners.size > 0;
  });
  const queues = new SessionQueues(agent, transcript);
  const queueUpdates = new QueueUpdates(queues, (texts) => void emit({ type: "queue_update", ...texts }));
  const models = new ModelChoice({
    agent,
    models: parts.models,
    thinkingLevel: parts.thinkingLevel,
    ...(parts.modelScope ? { scope: parts.modelScope } : {}),
    onChanged: () => transcript.recordChoices(),
    onLevelChanged: (level) => void emit({ type: "thinking_level_changed", level }),
  });
  const retry = new AutoRetry(parts.retry, emit);
  const todos = new TodoList({ append: (customType, data) => transcript.append({ type: "custom", customType, data }), emit });
  const limits = new LimitGuard({
    limits: parts.limits,
    user: parts.user,
    emit,
    isMoreQueued: () => agent.queuedCount > 0 || todos.isReminderDue,
    addHint: (text) => agent.steer(createUserMessage({ text })),
    // Through the controller, which knows a run from its acceptance on; the agent only knows it once it has begun.
    abortRun: () => void runs.abort(),
  });
  const compactionRetry = new AutoRetry(parts.retry, emit);
  const compactor = new Compactor({
    settings: parts.compaction,
    state: agent.state,
    readBranch: () => transcript.conversation.contextEntries(),
    newEntryId: () => transcript.conversation.newEntryId(),
    nextInContext: (entryId) => transcript.conversation.nextInContext(entryId),
    append: (entry, id) => transcript.append(entry, id),
    requestOptions: parts.requestOptions,
    retry: compactionRetry,
    get intercept() {
      const { current } = hooks;
      return current?.beforeCompaction?.bind(current);
    },
    emit(event) {
      if (event.type === "compaction_end" && event.result) limits.countCost(event.result);
      return emit(event);
    },
  });
  const rules = parts.createRules?.({ emit });
  const beforeToolCall = async (call: PendingToolCall, signal: AbortSignal) => {
    const verdict = await hooks.current?.toolCall?.(call, signal);
    if (verdict && "refuse" in verdict) return verdict;
    // Approvals come last and decide about what is going to run.
    return (await parts.beforeToolCall({ ...call, ...verdict }, signal)) ?? verdict;
  };
  supervisor.attach({ agent, limits, retry, compactor, todos, rules, beforeToolCall });
  const createTools = (cwd: string) =>
    parts.createTools(cwd, {
      todos,
      remainingLimits: () => limits.remaining,
      countUsage: (usage) => limits.countCost({ usage }),
      tools: () => agent.state.tools,
      model: () => agent.state.model,
    });
  const tools = new ToolSet(agent, createTools, (problem) => parts.report?.(problem));
  const systemPrompt = new CurrentPrompt({ agent, tools, transcript, build: parts.buildSystemPrompt });
  const runs = new RunController(agent, {
    async before(messages, signal) {
      await hooks.current?.beforeRun?.();
      await parts.prepareRun?.(signal);
      await systemPrompt.refresh();
      return supervisor.beforeRun(messages, signal);
    },
    after: (signal) => supervisor.afterRun(signal),
    settled() {
      queueUpdates.flush();
      return emit({ type: "agent_settled" });
    },
  });
  const shell = new ShellCommands(parts.runProcess);
  const commandRuns = new CommandRuns({ isRunning: () => runs.isActive, startedRuns: () => startedRuns, emit });
  /** A conversation, or another branch of it, is in effect. */
  const settleIn = async ({ messages }: BranchContext) => {
    queues.restore();
    queueUpdates.flush();
    todos.restore(await transcript.conversation.readCustom(todoEntryType));
    rules?.restore(messages);
    await tools.workIn(transcript.conversation.header.cwd);
    if (todos.phases.length > 0) await offerTodos(tools, todos);
  };
  const history = new SessionHistory({
    store: parts.store,
    transcript,
    between(work) {
      shell.abort();
      return runs.between(async () => {
        await compactor.abort();
        return work();
      });
    },
    async beforeMove(move) {
      if ((await hooks.current?.mayMove?.(move)) !== false) return;
      throw new SessionError("cancelled", "An extension did not let the session go elsewhere.");
    },
    afterMove: async ({ reason }) => hooks.current?.moved?.(reason),
    onRenamed: (name) => emit({ type: "session_info_changed", name }),
    async onMoved(context) {
      await models.follow(context);
      await settleIn(context);
    },
  });
  const closeRetry = (event: AgentEvent) => {
    if (event.type !== "message_end" || event.message.role !== "assistant") return;
    // An answer that a rule has stopped came well, as far as the provider is concerned.
    const isStopped = rules?.hasStopped(event.message) === true;
    return retry.observe(isStopped ? { ...event.message, stopReason: "stop" } : event.message);
  };
  const emitAfter = (stored: Promise<void>, event: AgentEvent) => stored.then(() => emit(event)).then(() => closeRetry(event));
  agent.subscribe((event) => {
    const stored = transcript.observe(event);
    // Most events store nothing, and must not cost a promise each.
    return stored === undefined ? emit(event) : emitAfter(stored, event);
  });
  await settleIn(context);
  return {
    retries: [retry, compactionRetry],
    ...{ agent, listeners, transcript, queues, queueUpdates, models, limits, compactor, todos, tools, runs, shell, history },
    ...{ hooks, commands, commandRuns, emit, life, user: parts.user },
    systemPrompt,
    expandPrompt: parts.expandPrompt ?? (async (text) => text),
    listPrompts: parts.listPrompts ?? (async () => []),
    requireCredentials: (model) => parts.models.requireCredentials(model),
    stopProcesses: async () => parts.stopProcesses?.(),
  };
}

/** Lets the model change the list of what is to be done. */
export async function offerTodos(tools: ToolSet, todos: TodoList): Promise<void> {
  const { createTodoTool } = await import("./tools/todo/definition.ts");
  tools.add(createTodoTool(todos));
}
