import type { Static, TObject, TProperties, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import {
  BashResultSchema,
  CompactionResultSchema,
  InterruptModeSchema,
  ProtocolInfoSchema,
  QueuedTextsSchema,
  QueueModeSchema,
  SessionStateSchema,
  SessionStatsSchema,
  SlashCommandSchema,
  StreamModeSchema,
  TodoPhaseInputSchema,
  TodoPhaseSchema,
} from "./data.ts";
import { EntryTreeNodeSchema, SessionEntrySchema } from "./entries.ts";
import { HostToolSchema } from "./frames.ts";
import { literals } from "./literals.ts";
import { AgentMessageSchema, AttachmentSchema, ImageContentSchema, ThinkingLevelSchema, WireModelSchema } from "./messages.ts";

/**
 * When a command runs.
 *
 * - `control`: at once, before earlier lines that still wait
 * - `ordered`: in arrival order, and the next ordered command waits for its answer
 * - `started`: begins in arrival order, and the next one waits until it has begun, not for its answer
 */
export type Lane = "control" | "ordered" | "started";

export interface CommandDefinition<TParams extends TObject = TObject, TData extends TSchema = TSchema> {
  /** Fields beside `type` and `id`. An optional field that is null counts as absent. */
  params: TParams;
  /** The `data` of a successful response; `Type.Undefined()` when there is none. */
  data: TData;
  lane: Lane;
}

function command<TParams extends TProperties, TData extends TSchema>(lane: Lane, params: TParams, data: TData) {
  return { params: Type.Object(params), data, lane };
}

const none = Type.Undefined();
const sessionChange = Type.Object({ cancelled: Type.Boolean() });
const branchChange = Type.Object({
  text: Type.String({ description: "The message that was branched from, as it was typed." }),
  cancelled: Type.Boolean(),
});
const forkPoint = { entryId: Type.String(), text: Type.String() };
const leaf = { leafId: Type.Union([Type.String(), Type.Null()]) };
const promptInput = {
  message: Type.String(),
  attachments: Type.Optional(Type.Array(AttachmentSchema)),
  images: Type.Optional(Type.Array(ImageContentSchema)),
};

/** Every command: its parameters, its data, and when it runs. Validation, dispatch, client and reference are made from this table. */
export const commands = {
  prompt: command(
    "ordered",
    {
      ...promptInput,
      streamingBehavior: Type.Optional(literals(["steer", "followUp"])),
    },
    none,
  ),
  steer: command("ordered", promptInput, none),
  follow_up: command("ordered", promptInput, none),
  abort: command("control", {}, none),
  abort_and_prompt: command("ordered", promptInput, none),
  clear_queue: command("ordered", {}, QueuedTextsSchema),
  set_steering_mode: command("ordered", { mode: QueueModeSchema }, none),
  set_follow_up_mode: command("ordered", { mode: QueueModeSchema }, none),
  set_interrupt_mode: command("ordered", { mode: InterruptModeSchema }, none),
  set_auto_retry: command("ordered", { enabled: Type.Boolean() }, none),
  abort_retry: command("control", {}, none),
  new_session: command("ordered", { parentSession: Type.Optional(Type.String()) }, sessionChange),
  switch_session: command("ordered", { sessionPath: Type.String() }, sessionChange),
  fork: command("ordered", { entryId: Type.String() }, branchChange),
  clone: command("ordered", {}, sessionChange),
  branch: command(
    "ordered",
    { entryIndex: Type.Optional(Type.Integer({ minimum: 0 })), entryId: Type.Optional(Type.String()) },
    branchChange,
  ),
  get_branch_messages: command(
    "ordered",
    {},
    Type.Object({ messages: Type.Array(Type.Object({ entryIndex: Type.Number(), ...forkPoint })) }),
  ),
  get_fork_messages: command("ordered", {}, Type.Object({ messages: Type.Array(Type.Object(forkPoint)) })),
  get_entries: command(
    "ordered",
    { since: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer({ minimum: 1 })) },
    Type.Object({ entries: Type.Array(SessionEntrySchema), ...leaf }),
  ),
  get_tree: command("ordered", {}, Type.Object({ tree: Type.Array(EntryTreeNodeSchema), ...leaf })),
  set_session_name: command("ordered", { name: Type.String() }, none),
  get_state: command("ordered", {}, SessionStateSchema),
  get_messages: command("ordered", {}, Type.Object({ messages: Type.Array(AgentMessageSchema) })),
  get_last_assistant_text: command("ordered", {}, Type.Object({ text: Type.Union([Type.String(), Type.Null()]) })),
  set_model: command("ordered", { provider: Type.String(), modelId: Type.String() }, WireModelSchema),
  cycle_model: command(
    "ordered",
    {},
    Type.Union([
      Type.Object({ model: WireModelSchema, thinkingLevel: ThinkingLevelSchema, isScoped: Type.Boolean() }),
      Type.Null(),
    ]),
  ),
  set_thinking_level: command("ordered", { level: ThinkingLevelSchema }, none),
  cycle_thinking_level: command("ordered", {}, Type.Union([Type.Object({ level: ThinkingLevelSchema }), Type.Null()])),
  get_available_thinking_levels: command("ordered", {}, Type.Object({ levels: Type.Array(ThinkingLevelSchema) })),
  get_available_models: command("ordered", {}, Type.Object({ models: Type.Array(WireModelSchema) })),
  bash: command("started", { command: Type.String(), excludeFromContext: Type.Optional(Type.Boolean()) }, BashResultSchema),
  abort_bash: command("control", {}, none),
  compact: command("started", { customInstructions: Type.Optional(Type.String()) }, CompactionResultSchema),
  set_auto_compaction: command("ordered", { enabled: Type.Boolean() }, none),
  set_todos: command(
    "ordered",
    { phases: Type.Array(TodoPhaseInputSchema) },
    Type.Object({ todoPhases: Type.Array(TodoPhaseSchema) }),
  ),
  set_host_tools: command("ordered", { tools: Type.Array(HostToolSchema) }, Type.Object({ toolNames: Type.Array(Type.String()) })),
  get_session_stats: command("ordered", {}, SessionStatsSchema),
  get_commands: command("ordered", {}, Type.Object({ commands: Type.Array(SlashCommandSchema) })),
  export_html: command("ordered", { outputPath: Type.Optional(Type.String()) }, Type.Object({ path: Type.String() })),
  set_stream_mode: command("ordered", { mode: StreamModeSchema }, Type.Object({ mode: StreamModeSchema })),
  get_protocol_info: command("ordered", {}, ProtocolInfoSchema),
} as const;

/** Other names under which the family's documents know a command. */
export const commandAliases = {
  queue_message: "steer",
  reset: "new_session",
  set_queue_mode: "set_steering_mode",
} as const satisfies Record<string, keyof typeof commands>;

export type CommandName = keyof typeof commands;
export type CommandParams<N extends CommandName> = Static<(typeof commands)[N]["params"]>;
export type CommandData<N extends CommandName> = Static<(typeof commands)[N]["data"]>;

/** The command of that name or alias; names that objects inherit are unknown. */
export function findCommand(name: string): CommandName | undefined {
  if (Object.hasOwn(commands, name)) return name as CommandName;
  if (Object.hasOwn(commandAliases, name)) return commandAliases[name as keyof typeof commandAliases];
  return undefined;
}
