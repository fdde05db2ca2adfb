import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { literals } from "./literals.ts";
import { ThinkingLevelSchema, UsageSchema, WireModelSchema } from "./messages.ts";

export const QueueModeSchema = literals(["all", "one-at-a-time"]);
export const InterruptModeSchema = literals(["immediate", "wait"]);

/** The effect of a message during a run: it steers the run, or it follows when the run would end. */
export const StreamingBehaviorSchema = literals(["steer", "followUp"]);
export type StreamingBehavior = Static<typeof StreamingBehaviorSchema>;

/** The texts in the queues, the next one first. */
export const QueuedTextsSchema = Type.Object({ steering: Type.Array(Type.String()), followUp: Type.Array(Type.String()) });
export type QueuedTexts = Static<typeof QueuedTextsSchema>;

export const TodoStatusSchema = literals(["pending", "in_progress", "completed", "abandoned"]);
export type TodoStatus = Static<typeof TodoStatusSchema>;

export const TodoTaskSchema = Type.Object({ id: Type.String(), content: Type.String(), status: TodoStatusSchema });
export type TodoTask = Static<typeof TodoTaskSchema>;

export const TodoPhaseSchema = Type.Object({ id: Type.String(), name: Type.String(), tasks: Type.Array(TodoTaskSchema) });
export type TodoPhase = Static<typeof TodoPhaseSchema>;

const todoId = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** A phase as input of `set_todos`. Missing ids are generated, and stay with their phase or task. */
export const TodoPhaseInputSchema = Type.Object({
  id: todoId,
  name: Type.String(),
  tasks: Type.Array(
    Type.Object({
      id: todoId,
      content: Type.String(),
      /** Default: pending. */
      status: Type.Optional(Type.Union([TodoStatusSchema, Type.Null()])),
    }),
  ),
});
export type TodoPhaseInput = Static<typeof TodoPhaseInputSchema>;

/** How answers are streamed: each record with the complete message so far (`snapshots`), or only with the delta (`deltas`). */
export const StreamModeSchema = literals(["snapshots", "deltas"]);
export type StreamMode = Static<typeof StreamModeSchema>;

/** Optional, never null: related typed clients declare it as an optional string. */
const sessionFile = Type.Optional(Type.String({ description: "Absent when nothing is stored." }));

/** The response data of `get_state`. */
export const SessionStateSchema = Type.Object({
  model: Type.Union([WireModelSchema, Type.Null()]),
  thinkingLevel: ThinkingLevelSchema,
  isStreaming: Type.Boolean({ description: "From the acceptance of a prompt to the end of its run." }),
  isCompacting: Type.Boolean(),
  isSettled: Type.Boolean({ description: "Nothing runs: neither a prompt nor a compaction." }),
  queueMode: QueueModeSchema,
  steeringMode: QueueModeSchema,
  followUpMode: QueueModeSchema,
  interruptMode: InterruptModeSchema,
  sessionFile,
  sessionId: Type.String(),
  sessionName: Type.Optional(Type.String({ description: "Absent if it has no name." })),
  autoCompactionEnabled: Type.Boolean(),
  autoRetryEnabled: Type.Boolean(),
  messageCount: Type.Number(),
  queuedMessageCount: Type.Number(),
  pendingMessageCount: Type.Number(),
  todoPhases: Type.Array(TodoPhaseSchema),
  streamMode: StreamModeSchema,
});
export type SessionState = Static<typeof SessionStateSchema>;

/** The result of a shell command of the user. */
export const BashResultSchema = Type.Object({
  output: Type.String({ description: "The last lines, at most 2000 and 50 KB." }),
  exitCode: Type.Union([Type.Number(), Type.Null()], { description: "Null when the command was killed." }),
  cancelled: Type.Boolean(),
  truncated: Type.Boolean(),
  fullOutputPath: Type.Optional(Type.String({ description: "File with the whole output, if the output was truncated." })),
  totalLines: Type.Number(),
  totalBytes: Type.Number(),
  outputLines: Type.Number(),
  outputBytes: Type.Number(),
});
export type BashResult = Static<typeof BashResultSchema>;

/** The files that the summarised part of a conversation was about. A file that was read and modified is listed as modified. */
export const CompactionDetailsSchema = Type.Object({
  readFiles: Type.Array(Type.String()),
  modifiedFiles: Type.Array(Type.String()),
  request: Type.Optional(Type.String({ description: "The user's prompt, if the kept part begins within the work on it." })),
});
export type CompactionDetails = Static<typeof CompactionDetailsSchema>;

/** The result of a compaction. */
export const CompactionResultSchema = Type.Object({
  summary: Type.String(),
  tokensBefore: Type.Number({ description: "Tokens of the context before the compaction; partly an estimate." }),
  firstKeptEntryId: Type.String({
    description: "The first entry that is still in the context unchanged; the compaction's own if there is none.",
  }),
  estimatedTokensAfter: Type.Number(),
  usage: UsageSchema,
  details: CompactionDetailsSchema,
});
export type CompactionResult = Static<typeof CompactionResultSchema>;

/** The usage of the model's context window. */
export const ContextUsageSchema = Type.Object({
  tokens: Type.Union([Type.Number(), Type.Null()], { description: "Null after a compaction, until the next answer reports them." }),
  contextWindow: Type.Number({ description: "Tokens; 0 when unknown." }),
  percent: Type.Union([Type.Number(), Type.Null()], { description: "Null if one of the two is unknown." }),
});
export type ContextUsage = Static<typeof ContextUsageSchema>;

/** The response data of `get_session_stats`: the whole session, including compacted and abandoned parts, summaries and sub-tasks. */
export const SessionStatsSchema = Type.Object({
  sessionFile,
  sessionId: Type.String(),
  userMessages: Type.Number(),
  assistantMessages: Type.Number({ description: "Including failed and aborted answers." }),
  toolCalls: Type.Number(),
  toolResults: Type.Number(),
  totalMessages: Type.Number({ description: "Messages of every role." }),
  tokens: Type.Object({
    input: Type.Number(),
    output: Type.Number(),
    cacheRead: Type.Number(),
    cacheWrite: Type.Number(),
    total: Type.Number(),
  }),
  cost: Type.Number({ description: "US dollars." }),
  contextUsage: ContextUsageSchema,
});
export type SessionStats = Static<typeof SessionStatsSchema>;

/** A file that was put back. */
export const RestoredFileSchema = Type.Object({
  path: Type.String({ description: "Absolute." }),
  action: literals(["replaced", "created", "removed"]),
});
export type RestoredFile = Static<typeof RestoredFileSchema>;

/** A file that was left as it is. */
export const FileConflictSchema = Type.Object({
  path: Type.String({ description: "Absolute." }),
  reason: Type.String({ description: "Such as: it has changed since." }),
});
export type FileConflict = Static<typeof FileConflictSchema>;

/** The result of putting files back. */
export const FileRestoreSchema = Type.Object({
  restored: Type.Array(RestoredFileSchema, { description: "With `dryRun`: what would be put back." }),
  conflicts: Type.Array(FileConflictSchema, {
    description: "Files that were left as they are. `force` puts most of them back, too.",
  }),
  notCovered: Type.Array(Type.Object({ command: Type.String(), reason: Type.String() }), {
    description: "Commands whose changes are not known, or not completely, and which therefore stay.",
  }),
});
export type FileRestore = Static<typeof FileRestoreSchema>;

/** The origin of a command, a tool, a skill or a prompt template, as clients of related programs read it. */
export const SourceInfoSchema = Type.Object({
  path: Type.String({ description: "The file; `<inline>` if there is none." }),
  source: Type.String({
    description:
      "`auto`: found in a folder; `cli`: named on the command line or in the settings; or the source of its package, such as `npm:name`.",
  }),
  scope: literals(["user", "project", "temporary"]),
  origin: literals(["package", "top-level"]),
  baseDir: Type.Optional(Type.String({ description: "The folder of the package." })),
});
export type SourceInfo = Static<typeof SourceInfoSchema>;

/** A command that users call as `/name`, and its source. */
export const SlashCommandSchema = Type.Object({
  name: Type.String(),
  description: Type.Optional(Type.String()),
  source: literals(["extension", "prompt", "skill"]),
  location: Type.Optional(literals(["user", "project", "path"])),
  path: Type.Optional(Type.String()),
  sourceInfo: Type.Optional(SourceInfoSchema),
});
export type SlashCommand = Static<typeof SlashCommandSchema>;

/** The capabilities of a server. */
export const ProtocolInfoSchema = Type.Object({
  protocolVersion: Type.Number(),
  version: Type.String({ description: "Of pi." }),
  commands: Type.Array(Type.String(), { description: "Including aliases." }),
  events: Type.Array(Type.String()),
  streamModes: Type.Array(StreamModeSchema),
});
export type ProtocolInfo = Static<typeof ProtocolInfoSchema>;
