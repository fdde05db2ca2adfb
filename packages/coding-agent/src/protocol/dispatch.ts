/**
 * When each command runs. Apart from the schemas of the commands, so that what has no parameters, such as the first `get_state`, is
 * answered before those are loaded.
 */

/**
 * When a command runs.
 *
 * - `control`: at once, before earlier lines that still wait
 * - `ordered`: in arrival order, and the next ordered command waits for its answer
 * - `started`: begins in arrival order, and the next one waits until it has begun, not for its answer
 */
export type Lane = "control" | "ordered" | "started";

interface Dispatch {
  lane: Lane;
  /** Whether the command has fields beside `type` and `id`. */
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
  get_session_stats: plain,
  get_commands: plain,
  export_html: withParams,
  set_stream_mode: withParams,
  get_protocol_info: plain,
} as const satisfies Record<string, Dispatch>;

export type CommandName = keyof typeof commandDispatch;

/** Other names under which the family's documents know a command. */
export const commandAliases = {
  queue_message: "steer",
  reset: "new_session",
  set_queue_mode: "set_steering_mode",
} as const satisfies Record<string, CommandName>;

/** The command of that name or alias; names that objects inherit are unknown. */
export function findCommand(name: string): CommandName | undefined {
  if (Object.hasOwn(commandDispatch, name)) return name as CommandName;
  if (Object.hasOwn(commandAliases, name)) return commandAliases[name as keyof typeof commandAliases];
  return undefined;
}
