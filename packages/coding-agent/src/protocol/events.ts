import type { Static, TProperties } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { CompactionResultSchema, TodoTaskSchema } from "./data.ts";
import { SessionEntrySchema } from "./entries.ts";
import { literals } from "./literals.ts";
import {
  AgentMessageSchema,
  AssistantMessageSchema,
  ImageContentSchema,
  TextContentSchema,
  ThinkingLevelSchema,
  ToolCallSchema,
  ToolDisplaySchema,
  ToolResultMessageSchema,
} from "./messages.ts";

function event<const T extends string, P extends TProperties>(type: T, fields: P) {
  return Type.Object({ type: Type.Literal(type), ...fields });
}

const blockIndex = { contentIndex: Type.Number() };
const partial = { partial: AssistantMessageSchema };

/** An event of a streamed answer in snapshots mode. */
export const AssistantMessageEventSchema = Type.Union([
  event("start", partial),
  event("text_start", { ...blockIndex, ...partial }),
  event("text_delta", { ...blockIndex, delta: Type.String(), ...partial }),
  event("text_end", { ...blockIndex, content: Type.String(), ...partial }),
  event("thinking_start", { ...blockIndex, ...partial }),
  event("thinking_delta", { ...blockIndex, delta: Type.String(), ...partial }),
  event("thinking_end", { ...blockIndex, content: Type.String(), ...partial }),
  event("toolcall_start", { ...blockIndex, ...partial }),
  event("toolcall_delta", { ...blockIndex, delta: Type.String(), ...partial }),
  event("toolcall_end", { ...blockIndex, toolCall: ToolCallSchema, ...partial }),
  event("done", {
    reason: literals(["stop", "length", "toolUse"]),
    message: AssistantMessageSchema,
  }),
  event("error", {
    reason: literals(["error", "aborted"]),
    error: AssistantMessageSchema,
  }),
]);

const toolResult = Type.Object({
  content: Type.Array(Type.Union([TextContentSchema, ImageContentSchema])),
  details: Type.Unknown(),
  display: Type.Optional(ToolDisplaySchema),
});
const toolCallFields = {
  toolCallId: Type.String(),
  toolName: Type.String(),
};
const toolArguments = { args: Type.Record(Type.String(), Type.Unknown()) };

const LimitNameSchema = literals(["max-turns", "max-cost", "max-time", "max-tool-calls", "too-many-failures", "no-progress"]);

const AutoCompactionReasonSchema = literals(["threshold", "overflow"]);
const CompactionReasonSchema = literals(["manual", "threshold", "overflow"]);
const compactionOutcome = {
  /** Null when the compaction failed or was aborted; the conversation is then unchanged. */
  result: Type.Union([CompactionResultSchema, Type.Null()]),
  aborted: Type.Boolean(),
  /** Whether the failed model call is repeated. */
  willRetry: Type.Boolean(),
  errorMessage: Type.Optional(Type.String()),
};

/** All events, by `type`. */
export const events = {
  agent_start: event("agent_start", {}),
  agent_end: event("agent_end", { messages: Type.Array(AgentMessageSchema), willRetry: Type.Literal(false) }),
  turn_start: event("turn_start", {}),
  turn_end: event("turn_end", { message: AgentMessageSchema, toolResults: Type.Array(ToolResultMessageSchema) }),
  message_start: event("message_start", { message: AgentMessageSchema }),
  message_update: event("message_update", {
    message: AssistantMessageSchema,
    assistantMessageEvent: AssistantMessageEventSchema,
  }),
  message_end: event("message_end", { message: AgentMessageSchema }),
  tool_execution_start: event("tool_execution_start", {
    ...toolCallFields,
    ...toolArguments,
    display: Type.Optional(ToolDisplaySchema),
  }),
  tool_execution_update: event("tool_execution_update", { ...toolCallFields, ...toolArguments, partialResult: toolResult }),
  tool_execution_end: event("tool_execution_end", { ...toolCallFields, result: toolResult, isError: Type.Boolean() }),
  /** A failed model call is retried after `delayMs` milliseconds. */
  auto_retry_start: event("auto_retry_start", {
    attempt: Type.Number(),
    maxAttempts: Type.Number(),
    delayMs: Type.Number(),
    errorMessage: Type.String(),
  }),
  /** The retries are over: one succeeded, the last one failed, or they were aborted. */
  auto_retry_end: event("auto_retry_end", {
    success: Type.Boolean(),
    attempt: Type.Number(),
    finalError: Type.Optional(Type.String()),
  }),
  /** An automatic compaction starts: the context window is almost full, or too small. */
  auto_compaction_start: event("auto_compaction_start", { reason: AutoCompactionReasonSchema }),
  /** Follows each `auto_compaction_start`. */
  auto_compaction_end: event("auto_compaction_end", { reason: AutoCompactionReasonSchema, ...compactionOutcome }),
  /** A compaction starts. For an automatic one, it follows an `auto_compaction_start` with the same reason. */
  compaction_start: event("compaction_start", { reason: CompactionReasonSchema }),
  /** Follows each `compaction_start`. For an automatic compaction, it follows an `auto_compaction_end` with the same content. */
  compaction_end: event("compaction_end", { reason: CompactionReasonSchema, ...compactionOutcome }),
  /** An answer broke stream rules and was stopped; the model call is repeated with the rules. */
  ttsr_triggered: event("ttsr_triggered", {
    rules: Type.Array(Type.Object({ name: Type.String(), description: Type.Optional(Type.String()), path: Type.String() })),
  }),
  /** The model stopped before its task list was done, and gets a reminder. `todos`: the open tasks. */
  todo_reminder: event("todo_reminder", {
    todos: Type.Array(TodoTaskSchema),
    attempt: Type.Number(),
    maxAttempts: Type.Number(),
  }),
  /** All tasks of the list were done, so the new prompt starts without a list. */
  todo_auto_clear: event("todo_auto_clear", {}),
  /** The queued texts, after each change of a queue. */
  queue_update: event("queue_update", { steering: Type.Array(Type.String()), followUp: Type.Array(Type.String()) }),
  /** The run ends because it has reached a limit. `value` is the limit: turns, US dollars, seconds or calls. */
  limit_reached: event("limit_reached", { limit: LimitNameSchema, value: Type.Number() }),
  /** An extension has stored an entry of its own. */
  entry_appended: event("entry_appended", { entry: SessionEntrySchema }),
  /** The name of the session has changed. */
  session_info_changed: event("session_info_changed", { name: Type.String() }),
  /** The thinking level has changed. */
  thinking_level_changed: event("thinking_level_changed", { level: ThinkingLevelSchema }),
  /** The last event of a run: everything that the prompt started has ended. */
  agent_settled: event("agent_settled", {}),
  /** An extension has failed; the run and the other extensions continue. `event`: the event or command that it handled, or `load`. */
  extension_error: event("extension_error", { extensionPath: Type.String(), event: Type.String(), error: Type.String() }),
  /** An error outside an answer: an invalid input line (for clients that read no responses), a failed write to the session file. */
  error: event("error", { error: Type.String() }),
} as const;

export type EventName = keyof typeof events;

/** The events of a session in addition to those of the agent loop. */
export type SessionEvent =
  | AutoRetryEvent
  | CompactionEvent
  | ExtensionErrorEvent
  | LimitEvent
  | RuleEvent
  | TodoEvent
  | Static<
      (typeof events)[
        | "agent_settled"
        | "entry_appended"
        | "error"
        | "queue_update"
        | "session_info_changed"
        | "thinking_level_changed"]
    >;
export type AutoRetryEvent = Static<(typeof events)["auto_retry_start" | "auto_retry_end"]>;
export type CompactionEvent = Static<
  (typeof events)["auto_compaction_start" | "auto_compaction_end" | "compaction_start" | "compaction_end"]
>;
export type ExtensionErrorEvent = Static<(typeof events)["extension_error"]>;
export type RuleEvent = Static<(typeof events)["ttsr_triggered"]>;
export type TodoEvent = Static<(typeof events)["todo_reminder" | "todo_auto_clear"]>;
export type LimitEvent = Static<(typeof events)["limit_reached"]>;
export type LimitName = Static<typeof LimitNameSchema>;
