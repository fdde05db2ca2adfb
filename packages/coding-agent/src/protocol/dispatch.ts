/**
 * Defines when each command runs. Separate from the schemas of the commands, so that a command without parameters, such as the first
 * `get_state`, is answered before the schemas are loaded.
 */

/**
 * When a command runs.
 *
 * - `control`: at once, before earlier commands that still wait
 * - `ordered`: in arrival order; the next command waits for its response
 * - `started`: starts in arrival order; the next command waits until it has started, but not for its response
 */
export type Lane = "control" | "ordered" | "started";

interface Dispatch {
  lane: Lane;
  /** Whether the command has fields besides `type` and `id`. */
  hasParams: boolean;
}

const withParams = { lane: "ordered", hasParams: true } as const satisfies Dispatch;
const plain = { lane: "ordered", hasParams: false } as const satisfies Dispatch;
const control = { lane: "control", hasParams: false } as const satisfies Dispatch;
const started = { lane: "started", hasParams: true } as const satisfies Dispatch;

/** Every command of the protocol. */
export const commandDispatch = {
  prompt: withParams,
  steer: withParams,
  follow_up: withParams,
  abort: control,
  abort_and_prompt: withParams,
  clear_queue: plain,
  set_steering_mode: withParams,
  set_follow_up_mode: withParams,
  set_interrupt_mode: withParams,
  set_auto_retry: withParams,
  abort_retry: control,
  new_session: withParams,
  switch_session: withParams,
  fork: withParams,
  clone: plain,
  branch: withParams,
  undo: withParams,
  redo: withParams,
  get_branch_messages: plain,
  get_fork_messages: plain,
  get_entries: withParams,
  get_tree: plain,
  set_session_name: withParams,
  get_state: plain,
  get_messages: plain,
  get_last_assistant_text: plain,
  set_model: withParams,
  cycle_model: plain,
  set_thinking_level: withParams,
  cycle_thinking_level: plain,
  get_available_thinking_levels: plain,
  get_available_models: plain,
  bash: started,
  abort_bash: control,
  compact: started,
  set_auto_compaction: withParams,
  set_todos: withParams,
  set_host_tools: withParams,
  set_host_models: withParams,
  get_session_stats: plain,
  get_commands: plain,
  export_html: withParams,
  set_stream_mode: withParams,
  get_protocol_info: plain,
} as const satisfies Record<string, Dispatch>;

export type CommandName = keyof typeof commandDispatch;

/** Other names of commands, from related protocol documents. */
export const commandAliases = {
  queue_message: "steer",
  reset: "new_session",
  set_queue_mode: "set_steering_mode",
  get_available_commands: "get_commands",
} as const satisfies Record<string, CommandName>;

/** The command with this name or alias. Inherited property names such as `toString` are unknown. */
export function findCommand(name: string): CommandName | undefined {
  if (Object.hasOwn(commandDispatch, name)) return name as CommandName;
  if (Object.hasOwn(commandAliases, name)) return commandAliases[name as keyof typeof commandAliases];
  return undefined;
}
