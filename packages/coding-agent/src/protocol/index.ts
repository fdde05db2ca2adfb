export {
  type CommandData,
  type CommandDefinition,
  type CommandName,
  type CommandParams,
  commandAliases,
  commands,
  findCommand,
  type Lane,
} from "./commands.ts";
export {
  type BashResult,
  BashResultSchema,
  type SessionState,
  SessionStateSchema,
  type StreamMode,
  StreamModeSchema,
  type TodoPhase,
  TodoPhaseSchema,
  TodoTaskSchema,
} from "./data.ts";
export { type EventName, events, type SessionEvent } from "./events.ts";
export { ResponseSchema, type RpcResponse, type SessionHeader, SessionHeaderSchema } from "./frames.ts";
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
export { type DeltaUpdate, joinDeltas, toDelta } from "./stream-records.ts";
