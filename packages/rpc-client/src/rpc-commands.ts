import type { SendOptions } from "./options.ts";
import type {
  AgentMessage,
  CommandData,
  CommandName,
  CommandParams,
  CompactionResult,
  SessionEntry,
  SessionState,
  SessionStats,
  TodoPhase,
  TodoPhaseInput,
  WireModel,
} from "./protocol-types.ts";

/** The parameters of a command, except those that are separate arguments, and the options of the call. */
export type CommandOptions<N extends CommandName, TArguments extends string = never> = Omit<CommandParams<N>, TArguments> &
  SendOptions;

type RequestedThinkingLevel = CommandParams<"set_thinking_level">["level"];
type ThinkingLevel = CommandData<"get_available_thinking_levels">["levels"][number];
/** How many queued messages are added at a time. */
type QueueMode = CommandParams<"set_steering_mode">["mode"];

/**
 * The commands of the protocol that need only one request and response, as methods over `send`. Each takes `timeoutMs` and `signal` as its
 * last argument.
 */
export abstract class RpcCommands {
  /**
   * Sends any command of the protocol.
   *
   * @param params - The command's fields; `{}` when it has none.
   * @returns The `data` of its response.
   */
  abstract send<N extends CommandName>(name: N, params: CommandParams<N>, options?: SendOptions): Promise<CommandData<N>>;

  /** Aborts the active run, including one whose prompt was sent just before. */
  async abort(options?: SendOptions): Promise<void> {
    await this.send("abort", {}, options);
  }

  /** Aborts the active run and starts a new one. Resolves when the new prompt is accepted. */
  async abortAndPrompt(message: string, options: CommandOptions<"abort_and_prompt", "message"> = {}): Promise<void> {
    const [params, sendOptions] = split(options);
    await this.send("abort_and_prompt", { ...params, message }, sendOptions);
  }

  /** Queues a message that is added before the next model call of the run. Without a run, it waits for the next prompt. */
  async steer(message: string, options: CommandOptions<"steer", "message"> = {}): Promise<void> {
    const [params, sendOptions] = split(options);
    await this.send("steer", { ...params, message }, sendOptions);
  }

  /** Queues a message that is added when the run would end, and continues it. Without a run, it waits for the next prompt. */
  async followUp(message: string, options: CommandOptions<"follow_up", "message"> = {}): Promise<void> {
    const [params, sendOptions] = split(options);
    await this.send("follow_up", { ...params, message }, sendOptions);
  }

  /** Empties both queues and returns their texts. */
  clearQueue(options?: SendOptions): Promise<CommandData<"clear_queue">> {
    return this.send("clear_queue", {}, options);
  }

  /** Sets how many steering messages are added at a time. */
  async setSteeringMode(mode: QueueMode, options?: SendOptions): Promise<void> {
    await this.send("set_steering_mode", { mode }, options);
  }

  /** Sets how many follow-ups are added at a time. */
  async setFollowUpMode(mode: QueueMode, options?: SendOptions): Promise<void> {
    await this.send("set_follow_up_mode", { mode }, options);
  }

  /** Sets whether a steering message skips tool calls of the turn that have not started. */
  async setInterruptMode(mode: CommandParams<"set_interrupt_mode">["mode"], options?: SendOptions): Promise<void> {
    await this.send("set_interrupt_mode", { mode }, options);
  }

  /** Sets whether answers with a retryable error are retried. */
  async setAutoRetry(enabled: boolean, options?: SendOptions): Promise<void> {
    await this.send("set_auto_retry", { enabled }, options);
  }

  /** Ends the wait before a retry; the run ends with the failed answer. */
  async abortRetry(options?: SendOptions): Promise<void> {
    await this.send("abort_retry", {}, options);
  }

  /** Starts a new, empty session. */
  newSession(options: CommandOptions<"new_session"> = {}): Promise<CommandData<"new_session">> {
    const [params, sendOptions] = split(options);
    return this.send("new_session", params, sendOptions);
  }

  /**
   * Changes to the session in a session file. A relative path starts at the working folder of the session that is left. With
   * `takeOverLock`, also when a process on another host or in another container, which has ended, holds its lock.
   */
  switchSession(
    sessionPath: string,
    options: CommandOptions<"switch_session", "sessionPath"> = {},
  ): Promise<CommandData<"switch_session">> {
    const [params, sendOptions] = split(options);
    return this.send("switch_session", { sessionPath, ...params }, sendOptions);
  }

  /**
   * Continues from before one of the user's messages, in a new session file. Returns the text of that message. `restoreFiles`: puts back the
   * files that tools have changed since, too; `files` of the result says which.
   */
  fork(entryId: string, options: CommandOptions<"fork", "entryId"> = {}): Promise<CommandData<"fork">> {
    const [params, sendOptions] = split(options);
    return this.send("fork", { ...params, entryId }, sendOptions);
  }

  /** Continues the same conversation in a new session file. */
  clone(options?: SendOptions): Promise<CommandData<"clone">> {
    return this.send("clone", {}, options);
  }

  /**
   * Continues from before one of the user's messages, in the same session file. Returns the text of that message. `restoreFiles`: as in `fork`.
   *
   * @param entry - The index or the id of the entry.
   */
  branch(entry: number | string, options: CommandOptions<"branch", "entryIndex" | "entryId"> = {}): Promise<CommandData<"branch">> {
    const [params, sendOptions] = split(options);
    return this.send(
      "branch",
      { ...params, ...(typeof entry === "number" ? { entryIndex: entry } : { entryId: entry }) },
      sendOptions,
    );
  }

  /** Aborts the run and puts back the files that the last turn has changed. Called again, it goes one turn further back. */
  undo(options: CommandOptions<"undo"> = {}): Promise<CommandData<"undo">> {
    const [params, sendOptions] = split(options);
    return this.send("undo", params, sendOptions);
  }

  /** Takes back the last undo. */
  redo(options: CommandOptions<"redo"> = {}): Promise<CommandData<"redo">> {
    const [params, sendOptions] = split(options);
    return this.send("redo", params, sendOptions);
  }

  /** Returns the messages from before which `branch` can continue. */
  async getBranchMessages(options?: SendOptions): Promise<CommandData<"get_branch_messages">["messages"]> {
    return (await this.send("get_branch_messages", {}, options)).messages;
  }

  /** Returns the messages from before which `fork` can continue. */
  async getForkMessages(options?: SendOptions): Promise<CommandData<"get_fork_messages">["messages"]> {
    return (await this.send("get_fork_messages", {}, options)).messages;
  }

  /** Returns the entries of the session file, in the order of the file. `since`: the id of the last known entry; only later ones are returned. */
  getEntries(options: CommandOptions<"get_entries"> = {}): Promise<{ entries: SessionEntry[]; leafId: string | null }> {
    const [params, sendOptions] = split(options);
    return this.send("get_entries", params, sendOptions);
  }

  /** Returns the entries of the session file as the tree of its branches. */
  getTree(options?: SendOptions): Promise<CommandData<"get_tree">> {
    return this.send("get_tree", {}, options);
  }

  /** Sets the name of the session. */
  async setSessionName(name: string, options?: SendOptions): Promise<void> {
    await this.send("set_session_name", { name }, options);
  }

  getState(options?: SendOptions): Promise<SessionState> {
    return this.send("get_state", {}, options);
  }

  /** Returns the conversation as the model gets it, oldest message first. */
  async getMessages(options?: SendOptions): Promise<AgentMessage[]> {
    return (await this.send("get_messages", {}, options)).messages;
  }

  /** Returns the text of the last answer, or null if there is none yet. */
  async getLastAssistantText(options?: SendOptions): Promise<string | null> {
    return (await this.send("get_last_assistant_text", {}, options)).text ?? null;
  }

  /** Sets the model for the next prompts. */
  setModel(provider: string, modelId: string, options?: SendOptions): Promise<WireModel> {
    return this.send("set_model", { provider, modelId }, options);
  }

  /** Changes to the next model; returns null if there is no other. */
  cycleModel(options?: SendOptions): Promise<CommandData<"cycle_model">> {
    return this.send("cycle_model", {}, options);
  }

  /** Returns the models whose provider has credentials or needs none. */
  async getAvailableModels(options?: SendOptions): Promise<WireModel[]> {
    return (await this.send("get_available_models", {}, options)).models;
  }

  /** Sets the thinking level. `max` is the model's highest level; a level that the model does not have becomes the equivalent one. */
  async setThinkingLevel(level: RequestedThinkingLevel, options?: SendOptions): Promise<void> {
    await this.send("set_thinking_level", { level }, options);
  }

  /** Changes to the next thinking level; returns null if the model has no other. */
  cycleThinkingLevel(options?: SendOptions): Promise<CommandData<"cycle_thinking_level">> {
    return this.send("cycle_thinking_level", {}, options);
  }

  /** Returns the thinking levels of the model; `["off"]` for a model without reasoning. */
  async getAvailableThinkingLevels(options?: SendOptions): Promise<ThinkingLevel[]> {
    return (await this.send("get_available_thinking_levels", {}, options)).levels;
  }

  /** Ends the shell commands of `bash`; their results have `cancelled`. */
  async abortBash(options?: SendOptions): Promise<void> {
    await this.send("abort_bash", {}, options);
  }

  /** Replaces the older part of the conversation with a summary. No timeout by default. */
  compact(options: CommandOptions<"compact"> = {}): Promise<CompactionResult> {
    const [params, sendOptions] = split(options);
    return this.send("compact", params, sendOptions);
  }

  /** Sets whether the agent compacts the conversation when the context window is almost full. */
  async setAutoCompaction(enabled: boolean, options?: SendOptions): Promise<void> {
    await this.send("set_auto_compaction", { enabled }, options);
  }

  /** Replaces the task list. Returns it with all ids. */
  async setTodos(phases: TodoPhaseInput[], options?: SendOptions): Promise<TodoPhase[]> {
    return (await this.send("set_todos", { phases }, options)).todoPhases;
  }

  /** Returns the messages, tokens and US dollars of the whole session. */
  getSessionStats(options?: SendOptions): Promise<SessionStats> {
    return this.send("get_session_stats", {}, options);
  }

  /** Returns the commands that a prompt can call as `/name`. */
  async getCommands(options?: SendOptions): Promise<CommandData<"get_commands">["commands"]> {
    return (await this.send("get_commands", {}, options)).commands;
  }

  /** Writes the session as an HTML page and returns its path. A relative `outputPath` starts at the session's working folder. */
  async exportHtml(options: CommandOptions<"export_html"> = {}): Promise<string> {
    const [params, sendOptions] = split(options);
    return (await this.send("export_html", params, sendOptions)).path;
  }

  /** Sets how the agent streams answers from the next message on. The events are the same, because the client joins deltas. */
  async setStreamMode(mode: CommandParams<"set_stream_mode">["mode"], options?: SendOptions): Promise<void> {
    await this.send("set_stream_mode", { mode }, options);
  }

  /** Returns the version and the capabilities of the agent. */
  getProtocolInfo(options?: SendOptions): Promise<CommandData<"get_protocol_info">> {
    return this.send("get_protocol_info", {}, options);
  }
}

/** Separates the parameters of a command from the options of the call. */
export function split<T extends SendOptions>(options: T): [params: Omit<T, keyof SendOptions>, sendOptions: SendOptions] {
  const { timeoutMs, signal, ...params } = options;
  return [params, { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(signal === undefined ? {} : { signal }) }];
}
