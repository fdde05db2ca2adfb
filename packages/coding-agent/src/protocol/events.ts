import type { Static, TProperties } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { CompactionResultSchema, TodoTaskSchema } from "./data.ts";
import { literals } from "./literals.ts";
import {
  AgentMessageSchema,
  AssistantMessageSchema,
  ImageContentSchema,
  TextContentSchema,
  ThinkingLevelSchema,
  ToolCallSchema,
  ToolResultMessageSchema,
} from "./messages.ts";

function event<const T extends string, P extends TProperties>(type: T, fields: P) {
  return Type.Object({ type: Type.Literal(type), ...fields });
}

const blockIndex = { contentIndex: Type.Number() };
const partial = { partial: AssistantMessageSchema };

/** A step of a streamed answer, as snapshots mode shows it. */
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
  /** Null when the compaction failed or was aborted; the conversation is as it was then. */
  result: Type.Union([CompactionResultSchema, Type.Null()]),
  aborted: Type.Boolean(),
  /** Whether the model is asked again what it could not answer. */
  willRetry: Type.Boolean(),
  errorMessage: Type.Optional(Type.String()),
};

/** Everything that is streamed unasked, by `type`. */
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
  tool_execution_start: event("tool_execution_start", { ...toolCallFields, ...toolArguments }),
  tool_execution_update: event("tool_execution_update", { ...toolCallFields, ...toolArguments, partialResult: toolResult }),
  tool_execution_end: event("tool_execution_end", { ...toolCallFields, result: toolResult, isError: Type.Boolean() }),
  /** A failed answer is asked for again after `delayMs` milliseconds. */
  auto_retry_start: event("auto_retry_start", {
    attempt: Type.Number(),
    maxAttempts: Type.Number(),
    delayMs: Type.Number(),
    errorMessage: Type.String(),
  }),
  /** One or more retries are over: an answer came, or the last one failed, or the retry was cancelled. */
  auto_retry_end: event("auto_retry_end", {
    success: Type.Boolean(),
    attempt: Type.Number(),
    finalError: Type.Optional(Type.String()),
  }),
  /** The conversation is being summarised: it is near the end of the model's window, or past it. */
  auto_compaction_start: event("auto_compaction_start", { reason: AutoCompactionReasonSchema }),
  /** Follows each `auto_compaction_start`. */
  auto_compaction_end: event("auto_compaction_end", { reason: AutoCompactionReasonSchema, ...compactionOutcome }),
  /** The conversation is being summarised: because somebody asked for it, or, behind an `auto_compaction_start` that says the same, by itself. */
  compaction_start: event("compaction_start", { reason: CompactionReasonSchema }),
  /** Follows each `compaction_start`; of a compaction by itself, it is behind the `auto_compaction_end` that says the same. */
  compaction_end: event("compaction_end", { reason: CompactionReasonSchema, ...compactionOutcome }),
  /** An answer broke rules and was stopped; the model is asked again and reads them. */
  ttsr_triggered: event("ttsr_triggered", {
    rules: Type.Array(Type.Object({ name: Type.String(), description: Type.Optional(Type.String()), path: Type.String() })),
  }),
  /** The model stopped before its own list was done and is told so. `todos`: the tasks that are not done. */
  todo_reminder: event("todo_reminder", {
    todos: Type.Array(TodoTaskSchema),
    attempt: Type.Number(),
    maxAttempts: Type.Number(),
  }),
  /** All tasks of the list were done, so that the new prompt begins without one. */
  todo_auto_clear: event("todo_auto_clear", {}),
  /** The texts that wait, after each change of a queue. */
  queue_update: event("queue_update", { steering: Type.Array(Type.String()), followUp: Type.Array(Type.String()) }),
  /** The run ends because it has used up what it may. `value` is the limit: turns, dollars, seconds or calls. */
  limit_reached: event("limit_reached", { limit: LimitNameSchema, value: Type.Number() }),
  /** The session has another name. */
  session_info_changed: event("session_info_changed", { name: Type.String() }),
  /** How hard the model thinks has changed. */
  thinking_level_changed: event("thinking_level_changed", { level: ThinkingLevelSchema }),
  /** The last event of a run: nothing that the prompt started is at work any more. */
  agent_settled: event("agent_settled", {}),
  /** An extension has failed; the run and the other extensions go on. `event` is what it was called for: an event, a command, `load`. */
  extension_error: event("extension_error", { extensionPath: Type.String(), event: Type.String(), error: Type.String() }),
  /** Something failed outside an answer: an unusable input line (for clients that read no responses), a write to the session file. */
  error: event("error", { error: Type.String() }),
} as const;

export type EventName = keyof typeof events;

/** What a session emits beside the events of the agent loop. */
export type SessionEvent =
  | AutoRetryEvent
  | CompactionEvent
  | ExtensionErrorEvent
  | LimitEvent
  | RuleEvent
  | TodoEvent
  | Static<(typeof events)["agent_settled" | "error" | "queue_update" | "session_info_changed" | "thinking_level_changed"]>;
export type AutoRetryEvent = Static<(typeof events)["auto_retry_start" | "auto_retry_end"]>;
export type CompactionEvent = Static<
  (typeof events)["auto_compaction_start" | "auto_compaction_end" | "compaction_start" | "compaction_end"]
>;
export type ExtensionErrorEvent = Static<(typeof events)["extension_error"]>;
export type RuleEvent = Static<(typeof events)["ttsr_triggered"]>;
export type TodoEvent = Static<(typeof events)["todo_reminder" | "todo_auto_clear"]>;
export type LimitEvent = Static<(typeof events)["limit_reached"]>;
export type LimitName = Static<typeof LimitNameSchema>;
