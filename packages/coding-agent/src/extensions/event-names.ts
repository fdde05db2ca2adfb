import { suggest } from "../suggest.ts";
import type { ExtensionEventName } from "./events.ts";

/** The names of all events. An object, so that the type checker finds a missing name. */
const known: Record<ExtensionEventName, true> = {
  after_provider_response: true,
  agent_end: true,
  agent_settled: true,
  agent_start: true,
  auto_compaction_end: true,
  auto_compaction_start: true,
  auto_retry_end: true,
  auto_retry_start: true,
  before_agent_start: true,
  before_compaction: true,
  before_prompt: true,
  before_provider_headers: true,
  before_provider_request: true,
  compaction_end: true,
  compaction_start: true,
  context: true,
  entry_appended: true,
  error: true,
  extension_error: true,
  input: true,
  limit_reached: true,
  message_end: true,
  message_start: true,
  message_update: true,
  model_select: true,
  project_trust: true,
  queue_update: true,
  resources_discover: true,
  session_before_compact: true,
  session_before_fork: true,
  session_before_switch: true,
  session_before_tree: true,
  session_compact: true,
  session_compact_failed: true,
  session_info_changed: true,
  session_shutdown: true,
  session_start: true,
  session_switch: true,
  session_tree: true,
  shutdown: true,
  thinking_level_changed: true,
  thinking_level_select: true,
  todo_auto_clear: true,
  todo_reminder: true,
  tool_call: true,
  tool_execution_end: true,
  tool_execution_start: true,
  tool_execution_update: true,
  tool_result: true,
  ttsr_triggered: true,
  turn_end: true,
  turn_start: true,
  ui_prompt_end: true,
  ui_prompt_start: true,
  user_bash: true,
};

/** @internal Exported for its tests. */
export const eventNames = Object.keys(known) as ExtensionEventName[];

/** The warning about a handler that is never called because of its event's name; undefined for a name that exists. */
export function describeUnknownEvent(name: string): string | undefined {
  if (Object.hasOwn(known, name)) return undefined;
  return `There is no event "${name}", so its handler is never called.${suggest(name, eventNames)}`;
}
