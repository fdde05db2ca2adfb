import { type Static, Type } from "@sinclair/typebox";
import { literals } from "./literals.ts";
import { ThinkingLevelSchema, WireModelSchema } from "./messages.ts";

export const QueueModeSchema = literals(["all", "one-at-a-time"]);
export const InterruptModeSchema = literals(["immediate", "wait"]);

/** Texts that wait in the queues, first to go first. */
export const QueuedTextsSchema = Type.Object({ steering: Type.Array(Type.String()), followUp: Type.Array(Type.String()) });

export const TodoTaskSchema = Type.Object({
  id: Type.String(),
  content: Type.String(),
  status: literals(["pending", "in_progress", "completed", "abandoned"]),
});

export const TodoPhaseSchema = Type.Object({ id: Type.String(), name: Type.String(), tasks: Type.Array(TodoTaskSchema) });
export type TodoPhase = Static<typeof TodoPhaseSchema>;

/** How answers are streamed: every record with the whole message so far, or only what is new. */
export const StreamModeSchema = literals(["snapshots", "deltas"]);
export type StreamMode = Static<typeof StreamModeSchema>;

/** The answer to `get_state`; every key is always there. */
export const SessionStateSchema = Type.Object({
  model: Type.Union([WireModelSchema, Type.Null()]),
  thinkingLevel: ThinkingLevelSchema,
  isStreaming: Type.Boolean({ description: "From the acceptance of a prompt to the end of its run." }),
  isCompacting: Type.Boolean(),
  queueMode: QueueModeSchema,
  steeringMode: QueueModeSchema,
  followUpMode: QueueModeSchema,
  interruptMode: InterruptModeSchema,
  sessionFile: Type.Union([Type.String(), Type.Null()]),
  sessionId: Type.String(),
  sessionName: Type.Union([Type.String(), Type.Null()]),
  autoCompactionEnabled: Type.Boolean(),
  autoRetryEnabled: Type.Boolean(),
  messageCount: Type.Number(),
  queuedMessageCount: Type.Number(),
  pendingMessageCount: Type.Number(),
  todoPhases: Type.Array(TodoPhaseSchema),
  streamMode: StreamModeSchema,
});
export type SessionState = Static<typeof SessionStateSchema>;

/** What a user-run shell command gave. */
export const BashResultSchema = Type.Object({
  output: Type.String({ description: "The last lines, at most 2000 and 50 KB." }),
  exitCode: Type.Union([Type.Number(), Type.Null()], { description: "Null when the command was killed." }),
  cancelled: Type.Boolean(),
  truncated: Type.Boolean(),
  fullOutputPath: Type.Optional(Type.String({ description: "Where the whole output is, when it was truncated." })),
  totalLines: Type.Number(),
  totalBytes: Type.Number(),
  outputLines: Type.Number(),
  outputBytes: Type.Number(),
});
export type BashResult = Static<typeof BashResultSchema>;
