export { runHostModel } from "@pikit/ai/host-model";
export { type CommandData, type CommandDefinition, type CommandParams, commands } from "./commands.ts";
export { type ConnectionReady, ConnectionReadySchema, type Resync, ResyncSchema } from "./connection.ts";
export {
  type BashResult,
  BashResultSchema,
  type CompactionDetails,
  CompactionDetailsSchema,
  type CompactionResult,
  CompactionResultSchema,
  type ContextUsage,
  ContextUsageSchema,
  type SessionState,
  SessionStateSchema,
  type SessionStats,
  SessionStatsSchema,
  type StreamMode,
  StreamModeSchema,
  type TodoPhase,
  type TodoPhaseInput,
  TodoPhaseInputSchema,
  TodoPhaseSchema,
  type TodoStatus,
  TodoStatusSchema,
  type TodoTask,
  TodoTaskSchema,
} from "./data.ts";
export { type CommandName, commandAliases, commandDispatch, findCommand, type Lane } from "./dispatch.ts";
export { type EntryTreeNode, EntryTreeNodeSchema, type SessionEntry, SessionEntrySchema } from "./entries.ts";
export { type EventName, events, type SessionEvent } from "./events.ts";
export {
  type HostTool,
  type HostToolCall,
  HostToolCallSchema,
  type HostToolOutput,
  HostToolOutputSchema,
  HostToolSchema,
  ResponseSchema,
  type RpcResponse,
  type SessionHeader,
  SessionHeaderSchema,
  type UiRequest,
  UiRequestSchema,
  type UiResponse,
  UiResponseSchema,
} from "./frames.ts";
export {
  type HostModel,
  HostModelCallSchema,
  HostModelContextSchema,
  HostModelErrorSchema,
  HostModelEventSchema,
  HostModelOptionsSchema,
  HostModelResultSchema,
  HostModelSchema,
  HostModelStepSchema,
  HostModelUsageSchema,
} from "./host-models.ts";
export { encodeLine, LineDecoder, type LineReader, maxLineLength } from "./jsonl.ts";
export {
  AgentMessageSchema,
  AssistantMessageSchema,
  AttachmentSchema,
  type BashExecutionMessage,
  type BranchSummaryMessage,
  type CompactionSummaryMessage,
  type CustomMessage,
  ImageContentSchema,
  TextContentSchema,
  ToolCallSchema,
  ToolResultMessageSchema,
  UsageSchema,
  UserMessageSchema,
  type WireModel,
  WireModelSchema,
} from "./messages.ts";
export { SnapshotBuilder, type SnapshotUpdate } from "./snapshots.ts";
export { type DeltaUpdate, joinDeltas, newUsage, toDelta } from "./stream-records.ts";
export {
  isStandardSchema,
  type JsonSchema,
  readArguments,
  type StandardSchema,
  type ToolParameters,
  toJsonSchema,
} from "./tool-parameters.ts";
