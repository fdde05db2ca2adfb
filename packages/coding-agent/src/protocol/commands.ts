import type { Static, TObject, TProperties, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import {
  BashResultSchema,
  CompactionResultSchema,
  FileRestoreSchema,
  InterruptModeSchema,
  ProtocolInfoSchema,
  QueuedTextsSchema,
  QueueModeSchema,
  SessionStateSchema,
  SessionStatsSchema,
  SlashCommandSchema,
  StreamingBehaviorSchema,
  StreamModeSchema,
  TodoPhaseInputSchema,
  TodoPhaseSchema,
} from "./data.ts";
import type { CommandName } from "./dispatch.ts";
import { EntryTreeNodeSchema, SessionEntrySchema } from "./entries.ts";
import { HostToolSchema } from "./frames.ts";
import { HostModelSchema } from "./host-models.ts";
import {
  AgentMessageSchema,
  AttachmentSchema,
  ImageContentSchema,
  RequestedThinkingLevelSchema,
  ThinkingLevelSchema,
  WireModelSchema,
} from "./messages.ts";

export interface CommandDefinition<TParams extends TObject = TObject, TData extends TSchema = TSchema> {
  /** The fields besides `type` and `id`. An optional field that is null counts as absent. */
  params: TParams;
  /** The `data` of a successful response; `Type.Undefined()` when there is none. */
  data: TData;
}

function command<TParams extends TProperties, TData extends TSchema>(params: TParams, data: TData) {
  return { params: Type.Object(params), data };
}

const none = Type.Undefined();
const sessionChange = Type.Object({ cancelled: Type.Boolean() });
const branchChange = Type.Object({
  text: Type.String({ description: "The text of that message." }),
  cancelled: Type.Boolean(),
  files: Type.Optional(FileRestoreSchema),
});
/** Whether files are put back, too, and whether those that something else has changed since are. */
const restoreFiles = { restoreFiles: Type.Optional(Type.Boolean()), force: Type.Optional(Type.Boolean()) };
const restoreOptions = { force: Type.Optional(Type.Boolean()), dryRun: Type.Optional(Type.Boolean()) };
const forkPoint = { entryId: Type.String(), text: Type.String() };
const leaf = { leafId: Type.Union([Type.String(), Type.Null()]) };
const promptInput = {
  message: Type.String(),
  attachments: Type.Optional(Type.Array(AttachmentSchema)),
  images: Type.Optional(Type.Array(ImageContentSchema)),
};

/** The trace that the run belongs to, as in the HTTP headers of the same names. Invalid values count as absent. */
const trace = { traceparent: Type.Optional(Type.String()), tracestate: Type.Optional(Type.String()) };

/** The parameters and the data of every command. Validation, client and reference use this table; `dispatch.ts` defines when each runs. */
export const commands = {
  prompt: command(
    {
      ...promptInput,
      streamingBehavior: Type.Optional(StreamingBehaviorSchema),
      ...trace,
    },
    none,
  ),
  steer: command(promptInput, none),
  follow_up: command(promptInput, none),
  abort: command({}, none),
  abort_and_prompt: command({ ...promptInput, ...trace }, none),
  clear_queue: command({}, QueuedTextsSchema),
  set_steering_mode: command({ mode: QueueModeSchema }, none),
  set_follow_up_mode: command({ mode: QueueModeSchema }, none),
  set_interrupt_mode: command({ mode: InterruptModeSchema }, none),
  set_auto_retry: command({ enabled: Type.Boolean() }, none),
  abort_retry: command({}, none),
  new_session: command({ parentSession: Type.Optional(Type.String()) }, sessionChange),
  switch_session: command({ sessionPath: Type.String(), takeOverLock: Type.Optional(Type.Boolean()) }, sessionChange),
  fork: command({ entryId: Type.String(), ...restoreFiles }, branchChange),
  clone: command({}, sessionChange),
  branch: command(
    { entryIndex: Type.Optional(Type.Integer({ minimum: 0 })), entryId: Type.Optional(Type.String()), ...restoreFiles },
    branchChange,
  ),
  undo: command(restoreOptions, FileRestoreSchema),
  redo: command(restoreOptions, FileRestoreSchema),
  get_branch_messages: command({}, Type.Object({ messages: Type.Array(Type.Object({ entryIndex: Type.Number(), ...forkPoint })) })),
  get_fork_messages: command({}, Type.Object({ messages: Type.Array(Type.Object(forkPoint)) })),
  get_entries: command(
    { since: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer({ minimum: 1 })) },
    Type.Object({ entries: Type.Array(SessionEntrySchema), ...leaf }),
  ),
  get_tree: command({}, Type.Object({ tree: Type.Array(EntryTreeNodeSchema), ...leaf })),
  set_session_name: command({ name: Type.String() }, none),
  get_state: command({}, SessionStateSchema),
  get_messages: command({}, Type.Object({ messages: Type.Array(AgentMessageSchema) })),
  get_last_assistant_text: command({}, Type.Object({ text: Type.Optional(Type.String()) })),
  set_model: command({ provider: Type.String(), modelId: Type.String() }, WireModelSchema),
  cycle_model: command(
    {},
    Type.Union([
      Type.Object({ model: WireModelSchema, thinkingLevel: ThinkingLevelSchema, isScoped: Type.Boolean() }),
      Type.Null(),
    ]),
  ),
  set_thinking_level: command({ level: RequestedThinkingLevelSchema }, none),
  cycle_thinking_level: command({}, Type.Union([Type.Object({ level: ThinkingLevelSchema }), Type.Null()])),
  get_available_thinking_levels: command({}, Type.Object({ levels: Type.Array(ThinkingLevelSchema) })),
  get_available_models: command({}, Type.Object({ models: Type.Array(WireModelSchema) })),
  bash: command({ command: Type.String(), excludeFromContext: Type.Optional(Type.Boolean()) }, BashResultSchema),
  abort_bash: command({}, none),
  compact: command({ customInstructions: Type.Optional(Type.String()) }, CompactionResultSchema),
  set_auto_compaction: command({ enabled: Type.Boolean() }, none),
  set_todos: command({ phases: Type.Array(TodoPhaseInputSchema) }, Type.Object({ todoPhases: Type.Array(TodoPhaseSchema) })),
  set_host_tools: command({ tools: Type.Array(HostToolSchema) }, Type.Object({ toolNames: Type.Array(Type.String()) })),
  set_host_models: command({ models: Type.Array(HostModelSchema) }, Type.Object({ models: Type.Array(WireModelSchema) })),
  get_session_stats: command({}, SessionStatsSchema),
  get_commands: command({}, Type.Object({ commands: Type.Array(SlashCommandSchema) })),
  export_html: command({ outputPath: Type.Optional(Type.String()) }, Type.Object({ path: Type.String() })),
  set_stream_mode: command({ mode: StreamModeSchema }, Type.Object({ mode: StreamModeSchema })),
  get_protocol_info: command({}, ProtocolInfoSchema),
} as const satisfies Record<CommandName, CommandDefinition>;

export type CommandParams<N extends CommandName> = Static<(typeof commands)[N]["params"]>;
export type CommandData<N extends CommandName> = Static<(typeof commands)[N]["data"]>;
