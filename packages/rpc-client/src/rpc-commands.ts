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

/** The fields of a command but those that are arguments of their own, and the options of the call. */
export type CommandOptions<N extends CommandName, TArguments extends string = never> = Omit<CommandParams<N>, TArguments> &
  SendOptions;

type RequestedThinkingLevel = CommandParams<"set_thinking_level">["level"];
type ThinkingLevel = CommandData<"get_available_thinking_levels">["levels"][number];
/** How many queued messages go in at a time. */
type QueueMode = CommandParams<"set_steering_mode">["mode"];

/**
 * The commands of the protocol that are nothing but a question and its answer, as methods over one `send`. Each takes `timeoutMs` and
 * `signal` last.
 */
export abstract class RpcCommands {
  /**
   * Sends any command of the protocol.
   *
   * @param params - The command's fields; `{}` when it has none.
   * @returns the `data` of its answer.
   */
  abstract send<N extends CommandName>(name: N, params: CommandParams<N>, options?: SendOptions): Promise<CommandData<N>>;

  /** Stops the run that is at work, also one whose prompt was sent just before. */
  async abort(options?: SendOptions): Promise<void> {
    await this.send("abort", {}, options);
  }

  /** Stops the run that is at work and sends a prompt in its place. Returns when the new prompt is accepted. */
  async abortAndPrompt(message: string, options: CommandOptions<"abort_and_prompt", "message"> = {}): Promise<void> {
    const [params, sendOptions] = split(options);
    await this.send("abort_and_prompt", { ...params, message }, sendOptions);
  }

  /** Queues a message that goes in before the next model call of the run. While idle it waits for the next prompt. */
  async steer(message: string, options: CommandOptions<"steer", "message"> = {}): Promise<void> {
    const [params, sendOptions] = split(options);
    await this.send("steer", { ...params, message }, sendOptions);
  }

  /** Queues a message that goes in when the run would end. While idle it waits for the next prompt. */
  async followUp(message: string, options: CommandOptions<"follow_up", "message"> = {}): Promise<void> {
    const [params, sendOptions] = split(options);
    await this.send("follow_up", { ...params, message }, sendOptions);
  }

  /** Empties both queues and returns the texts that were in them. */
  clearQueue(options?: SendOptions): Promise<CommandData<"clear_queue">> {
    return this.send("clear_queue", {}, options);
  }

  /** How many steering messages go in at a time. */
  async setSteeringMode(mode: QueueMode, options?: SendOptions): Promise<void> {
    await this.send("set_steering_mode", { mode }, options);
  }

  /** How many follow-ups go in at a time. */
  async setFollowUpMode(mode: QueueMode, options?: SendOptions): Promise<void> {
    await this.send("set_follow_up_mode", { mode }, options);
  }

  /** Whether steering may skip tool calls of the turn that have not started. */
  async setInterruptMode(mode: CommandParams<"set_interrupt_mode">["mode"], options?: SendOptions): Promise<void> {
    await this.send("set_interrupt_mode", { mode }, options);
  }

  /** Whether answers that failed for a passing reason are asked for again. */
  async setAutoRetry(enabled: boolean, options?: SendOptions): Promise<void> {
    await this.send("set_auto_retry", { enabled }, options);
  }

  /** Ends a wait before a retry; the run ends with the answer that failed. */
  async abortRetry(options?: SendOptions): Promise<void> {
    await this.send("abort_retry", {}, options);
  }

  /** Leaves the conversation and begins an empty one. */
  newSession(options: CommandOptions<"new_session"> = {}): Promise<CommandData<"new_session">> {
    const [params, sendOptions] = split(options);
    return this.send("new_session", params, sendOptions);
  }

  /** Leaves the conversation and goes on with that of a session file. */
  switchSession(sessionPath: string, options?: SendOptions): Promise<CommandData<"switch_session">> {
    return this.send("switch_session", { sessionPath }, options);
  }

  /** Goes on before one of the user's messages, in a new session file, and gives the text of that message. */
  fork(entryId: string, options?: SendOptions): Promise<CommandData<"fork">> {
    return this.send("fork", { entryId }, options);
  }

  /** Goes on with the same conversation in a new session file. */
  clone(options?: SendOptions): Promise<CommandData<"clone">> {
    return this.send("clone", {}, options);
  }

  /** Goes on before one of the user's messages, in the same session file, and gives the text of that message. Takes an entry's index or its id. */
  branch(entry: number | string, options?: SendOptions): Promise<CommandData<"branch">> {
    return this.send("branch", typeof entry === "number" ? { entryIndex: entry } : { entryId: entry }, options);
  }

  /** The messages that `branch` can go back to. */
  async getBranchMessages(options?: SendOptions): Promise<CommandData<"get_branch_messages">["messages"]> {
    return (await this.send("get_branch_messages", {}, options)).messages;
  }

  /** The messages that `fork` can go back to. */
  async getForkMessages(options?: SendOptions): Promise<CommandData<"get_fork_messages">["messages"]> {
    return (await this.send("get_fork_messages", {}, options)).messages;
  }

  /** What the session file holds, in the order of the file; `since` is the id of the last entry that is known already. */
  getEntries(options: CommandOptions<"get_entries"> = {}): Promise<{ entries: SessionEntry[]; leafId: string | null }> {
    const [params, sendOptions] = split(options);
    return this.send("get_entries", params, sendOptions);
  }

  /** What the session file holds, as the tree of its branches. */
  getTree(options?: SendOptions): Promise<CommandData<"get_tree">> {
    return this.send("get_tree", {}, options);
  }

  /** Names the session. */
  async setSessionName(name: string, options?: SendOptions): Promise<void> {
    await this.send("set_session_name", { name }, options);
  }

  getState(options?: SendOptions): Promise<SessionState> {
    return this.send("get_state", {}, options);
  }

  /** The conversation as the model sees it, oldest message first. */
  async getMessages(options?: SendOptions): Promise<AgentMessage[]> {
    return (await this.send("get_messages", {}, options)).messages;
  }

  /** The text of the last answer, or null when there is none yet. */
  async getLastAssistantText(options?: SendOptions): Promise<string | null> {
    return (await this.send("get_last_assistant_text", {}, options)).text ?? null;
  }

  /** Changes the model for the prompts that follow. */
  setModel(provider: string, modelId: string, options?: SendOptions): Promise<WireModel> {
    return this.send("set_model", { provider, modelId }, options);
  }

  /** Changes to the next model, or gives null when there is no other. */
  cycleModel(options?: SendOptions): Promise<CommandData<"cycle_model">> {
    return this.send("cycle_model", {}, options);
  }

  /** The models whose provider has credentials or needs none. */
  async getAvailableModels(options?: SendOptions): Promise<WireModel[]> {
    return (await this.send("get_available_models", {}, options)).models;
  }

  /** How hard the model thinks; `max` is its highest, and what it cannot tell apart becomes what it can. */
  async setThinkingLevel(level: RequestedThinkingLevel, options?: SendOptions): Promise<void> {
    await this.send("set_thinking_level", { level }, options);
  }

  /** Changes to the next level, or gives null when the model has no other. */
  cycleThinkingLevel(options?: SendOptions): Promise<CommandData<"cycle_thinking_level">> {
    return this.send("cycle_thinking_level", {}, options);
  }

  /** The levels of the model; `["off"]` when it does not think. */
  async getAvailableThinkingLevels(options?: SendOptions): Promise<ThinkingLevel[]> {
    return (await this.send("get_available_thinking_levels", {}, options)).levels;
  }

  /** Ends the shell commands that `bash` runs; their results say `cancelled`. */
  async abortBash(options?: SendOptions): Promise<void> {
    await this.send("abort_bash", {}, options);
  }

  /** Puts a summary in the place of the older part of the conversation. Waits for ever by default. */
  compact(options: CommandOptions<"compact"> = {}): Promise<CompactionResult> {
    const [params, sendOptions] = split(options);
    return this.send("compact", params, sendOptions);
  }

  /** Whether the conversation is summarised by itself when it nears the end of the model's window. */
  async setAutoCompaction(enabled: boolean, options?: SendOptions): Promise<void> {
    await this.send("set_auto_compaction", { enabled }, options);
  }

  /** Replaces the task list, and gives it with the ids filled in. */
  async setTodos(phases: TodoPhaseInput[], options?: SendOptions): Promise<TodoPhase[]> {
    return (await this.send("set_todos", { phases }, options)).todoPhases;
  }

  /** Messages, tokens and dollars of the whole session. */
  getSessionStats(options?: SendOptions): Promise<SessionStats> {
    return this.send("get_session_stats", {}, options);
  }

  /** What a prompt that begins with `/name` calls. */
  async getCommands(options?: SendOptions): Promise<CommandData<"get_commands">["commands"]> {
    return (await this.send("get_commands", {}, options)).commands;
  }

  /** Writes the session as a web page and gives its path. */
  async exportHtml(options: CommandOptions<"export_html"> = {}): Promise<string> {
    const [params, sendOptions] = split(options);
    return (await this.send("export_html", params, sendOptions)).path;
  }

  /** How the agent streams answers from the next message on. Events look the same: the client puts deltas together. */
  async setStreamMode(mode: CommandParams<"set_stream_mode">["mode"], options?: SendOptions): Promise<void> {
    await this.send("set_stream_mode", { mode }, options);
  }

  /** What the agent can do. */
  getProtocolInfo(options?: SendOptions): Promise<CommandData<"get_protocol_info">> {
    return this.send("get_protocol_info", {}, options);
  }
}

/** Takes the fields of a command and the options of its call apart. */
export function split<T extends SendOptions>(options: T): [params: Omit<T, keyof SendOptions>, sendOptions: SendOptions] {
  const { timeoutMs, signal, ...params } = options;
  return [params, { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(signal === undefined ? {} : { signal }) }];
}
