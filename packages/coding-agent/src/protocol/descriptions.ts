import type { CommandName } from "./dispatch.ts";
import type { EventName } from "./events.ts";
import type { incomingFrames, outgoingFrames } from "./frames.ts";

/** One sentence for each record of the protocol, for the JSON Schema and the reference tables of the documentation. */
export const commandDescriptions: Readonly<Record<CommandName, string>> = {
  prompt: "Sends a user message and starts a run. Answered when the message is accepted and written.",
  steer: "Queues a message that the model reads before its next call.",
  follow_up: "Queues a message that the model reads when the run would end.",
  abort: "Aborts the run, a retry delay, a compaction, and prompts that have not started. Answered when everything has stopped.",
  abort_and_prompt: "Aborts the run and starts another with this message.",
  clear_queue: "Empties both queues and returns the removed texts.",
  set_steering_mode: "Sets whether the model reads one steering message at a time, or all queued ones.",
  set_follow_up_mode: "The same for follow-ups.",
  set_interrupt_mode: "Sets whether a steering message waits for the tool calls of the turn, or skips those that have not started.",
  set_auto_retry: "Turns retries of failed model calls on or off.",
  abort_retry: "Ends the delay before a retry; the run ends with the failure.",
  new_session: "Aborts the run and begins an empty session.",
  switch_session:
    "Aborts the run and opens the session of an existing file. `takeOverLock`: even if a process of another host or container holds its lock.",
  fork: "Continues in a new session file with the path up to the point before that user message. `restoreFiles`: as with `branch`.",
  clone: "Continues in a new session file with the whole active path.",
  branch:
    "Returns to the point before a user message, in the same file. One of the first two fields identifies the message. `restoreFiles` also puts back the files that tools have changed since; the answer has `files` then.",
  undo: "Aborts the run and puts back the files that the last turn has changed; again: those of the turn before. `force`: also files that something else has changed since. `dryRun`: only tells what would happen.",
  redo: "Takes back the last `undo`, or the last `branch` or `fork` with `restoreFiles`.",
  get_branch_messages: "Returns the user messages that `branch` accepts.",
  get_fork_messages: "Returns the user messages that `fork` accepts.",
  get_entries: "Returns the entries of the session file in the order in which they were written: all, or those after `since`.",
  get_tree: "Returns the entries of the session file as a tree, including abandoned branches.",
  set_session_name: "Names the session.",
  get_state: "Returns the settings and the current activity.",
  get_messages: "Returns the messages that the model reads; a summary replaces the compacted part.",
  get_last_assistant_text: "Returns the text of the latest answer; no `text` if there is none.",
  set_model: "Sets the model from the next model call on. Models that are not listed work too, if their provider has a key.",
  cycle_model: "Switches to the next model of the list; null if there is no other.",
  set_thinking_level:
    "Sets the thinking level. If the model does not have it, it is replaced; `get_state` returns the level in use.",
  cycle_thinking_level: "Switches to the next thinking level of the model; null if there is no other.",
  get_available_thinking_levels: "Returns the thinking levels of the model.",
  get_available_models: "Returns the models whose provider has a key or needs none; the demo only if there is no other.",
  bash: "Runs a shell command of the user. The model reads its output with the next prompt, unless `excludeFromContext`.",
  abort_bash: "Kills the commands of `bash`.",
  compact:
    "Replaces everything before the last turn by a summary; if there is only one turn, that turn. Answered at the end; refused if nothing was answered since the last compaction.",
  set_auto_compaction: "Turns automatic compaction on or off. It runs when the context window is nearly full.",
  set_todos: "Sets the todo list. Missing ids are filled in.",
  set_host_tools: "Replaces the tools that the client runs.",
  set_host_models:
    "Replaces the models that the client runs, under the provider `host`; the data has them as other commands name them.",
  get_session_stats: "Returns the counts of messages, calls, tokens and dollars of the whole session.",
  get_commands: "Returns the slash commands that can begin a prompt.",
  export_html: "Writes the session as an HTML page, by default into the working folder.",
  set_stream_mode: "Sets how answers are streamed, from the next answer on.",
  get_protocol_info: "Returns the version, commands and events of the protocol.",
};

export const eventDescriptions: Readonly<Record<EventName, string>> = {
  agent_start: "A run begins: the first event of an accepted prompt.",
  agent_end: "The run has ended; `messages` has all messages that it added, including failed attempts.",
  turn_start: "A model call begins.",
  turn_end: "The answer and the results of its tool calls are complete.",
  message_start: "A message of any role begins; an answer is still empty.",
  message_update: "A step of a streamed answer.",
  message_end: "The message is complete and written.",
  tool_execution_start: "A tool call begins with its checks; it may still be refused.",
  tool_execution_update: "`partialResult` is the output so far.",
  tool_execution_end: "The result of the call; with `isError`, the reason of the failure.",
  auto_retry_start: "A failed model call will be repeated after `delayMs` milliseconds.",
  auto_retry_end: "The retries are over: a call succeeded, the last one failed, or they were aborted.",
  auto_compaction_start: "A compaction begins: the context window is nearly full (`threshold`) or was too small (`overflow`).",
  auto_compaction_end: "The compaction has ended; `result` is null if nothing has changed.",
  compaction_start:
    "A compaction begins: by a `compact` command (`manual`), or automatically, directly after an `auto_compaction_start` with the same fields.",
  compaction_end: "The compaction has ended; for an automatic one, directly after an `auto_compaction_end` with the same fields.",
  ttsr_triggered: "The answer matched these stream rules. It was stopped; the model reads the rules and answers again.",
  todo_reminder: "The model stopped before its own list was done, and is reminded.",
  todo_auto_clear: "All tasks were done, so the new prompt begins without a list.",
  queue_update: "The queued texts, after each change.",
  limit_reached: "The run ends because it has reached a limit (`--max-turns` and others).",
  entry_appended: "An extension has stored an entry of its own in the session.",
  session_info_changed: "The name of the session has changed.",
  thinking_level_changed: "The thinking level has changed.",
  extension_error: "An extension failed; the session continues without its contribution.",
  agent_settled: "The last event of a run: all work that the prompt started has ended.",
  error:
    "A line that is not a command, a refused `prompt` or `abort` without `id`, a session file that cannot be written, or a bug in pi itself, which then exits.",
};

export const frameDescriptions: Readonly<Record<keyof typeof incomingFrames | keyof typeof outgoingFrames, string>> = {
  extension_ui_response:
    "Answers a dialog: `confirmed` for `confirm`, or `value` with one of `approval.answers`; `value` for the others, `cancelled` for any.",
  host_tool_update: "The output of a host tool so far.",
  host_tool_result: "The result of a host tool; ends the call.",
  host_model_event: "A step of the answer of a host model, or only a sign of life.",
  host_model_result: "The end of the answer of a host model.",
  host_model_error: "The failure of a call of a host model; ends the call.",
  ready: "The first line: pi reads commands. Not sent with `--no-ready`.",
  bash_execution_update: "In deltas mode: more output of a `bash` command, with the `id` of that command.",
  extension_ui_request: "A dialog (`select`, `confirm`, `input`, `editor`), which waits for its response, or data to show.",
  host_tool_call: "Calls a host tool.",
  host_tool_cancel: "Cancels a call; later messages for it are ignored.",
  host_model_call: "Asks a host model.",
  host_model_cancel: "Cancels a call of a host model; later messages for it are ignored.",
  prompt_result: "The work of a `prompt` or `abort_and_prompt` with an `id` has ended: once for each, after its response.",
  session_settled: "Nothing runs any more: after the last `prompt_result`. Only if a prompt with an `id` was sent.",
};
