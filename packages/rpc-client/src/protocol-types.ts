/** The types of the protocol, under their public names. The published declarations contain them in full. */
import type {
  AgentMessageSchema,
  AssistantMessageSchema,
  AttachmentSchema,
  BashResultSchema,
  CompactionResultSchema,
  commands,
  EntryTreeNodeSchema,
  events,
  HostModelContextSchema,
  HostModelOptionsSchema,
  HostModelResultSchema,
  HostModelSchema,
  HostModelStepSchema,
  HostModelUsageSchema,
  HostToolOutputSchema,
  HostToolSchema,
  ImageContentSchema,
  ResyncSchema,
  SessionEntrySchema,
  SessionStateSchema,
  SessionStatsSchema,
  TextContentSchema,
  TodoPhaseInputSchema,
  TodoPhaseSchema,
  ToolCallSchema,
  ToolResultMessageSchema,
  UiRequestSchema,
  UiResponseSchema,
  UserMessageSchema,
  WireModelSchema,
} from "@pikit/coding-agent/protocol";

type Commands = {
  [N in keyof typeof commands]: { params: (typeof commands)[N]["params"]["static"]; data: (typeof commands)[N]["data"]["static"] };
};
type Events = {
  [N in keyof typeof events]: (typeof events)[N]["static"];
};

/** The names of all commands. */
export type CommandName = keyof Commands;
/** The parameters of a command, by its name. */
export type CommandParams<N extends CommandName> = Commands[N]["params"];
/** The response data of a successful command, by its name. */
export type CommandData<N extends CommandName> = Commands[N]["data"];

/** The state of the session, when events could not be handed over. Only clients of a server get it; see `RpcClient.connect`. */
export type ResyncEvent = (typeof ResyncSchema)["static"];
export type EventName = keyof Events | "resync";
/** An event of the agent, by `type`. */
export type RpcEvent = Events[keyof Events] | ResyncEvent;

export type TextContent = (typeof TextContentSchema)["static"];
export type ImageContent = (typeof ImageContentSchema)["static"];
export type ToolCall = (typeof ToolCallSchema)["static"];
export type Attachment = (typeof AttachmentSchema)["static"];
export type UserMessage = (typeof UserMessageSchema)["static"];
export type AssistantMessage = (typeof AssistantMessageSchema)["static"];
export type ToolResultMessage = (typeof ToolResultMessageSchema)["static"];
/** A message of a conversation, by `role`. */
export type AgentMessage = (typeof AgentMessageSchema)["static"];
/** A model in the protocol. */
export type WireModel = (typeof WireModelSchema)["static"];
export type SessionState = (typeof SessionStateSchema)["static"];
export type BashResult = (typeof BashResultSchema)["static"];
export type SessionStats = (typeof SessionStatsSchema)["static"];
export type CompactionResult = (typeof CompactionResultSchema)["static"];
export type TodoPhase = (typeof TodoPhaseSchema)["static"];
/** A phase as input of `set_todos`: ids and states are optional. */
export type TodoPhaseInput = (typeof TodoPhaseInputSchema)["static"];
/** A line of a session after its header. */
export type SessionEntry = (typeof SessionEntrySchema)["static"];
/** An entry with its children. */
export type EntryTreeNode = (typeof EntryTreeNodeSchema)["static"];
/** The definition of a tool that runs in this program. */
export type HostTool = (typeof HostToolSchema)["static"];
/** The result of a host tool. */
export type HostToolOutput = (typeof HostToolOutputSchema)["static"];
/** The definition of a model that runs in this program. */
export type HostModel = (typeof HostModelSchema)["static"];
/** The system prompt, the messages and the tools of a model call. */
export type HostModelContext = (typeof HostModelContextSchema)["static"];
/** How a model is asked. */
export type HostModelOptions = (typeof HostModelOptionsSchema)["static"];
/** A step of a streamed answer. */
export type HostModelEvent = (typeof HostModelStepSchema)["static"];
/** Tokens, and optionally dollars, of a model call. */
export type HostModelUsage = (typeof HostModelUsageSchema)["static"];
type ResultFrame = (typeof HostModelResultSchema)["static"];
/** The end of an answer, with the whole content if it was not streamed. */
export type HostModelResult = Omit<ResultFrame, "type" | "id">;
/** A dialog or a display request for the user, by `method`. */
export type UiRequest = (typeof UiRequestSchema)["static"];
/** The answer to a dialog: `confirmed` for `confirm`, `value` for the others, `cancelled` for all. */
export type UiResponse = (typeof UiResponseSchema)["static"];
/** How answers are streamed: each record with the complete message so far (`snapshots`), or only with the delta (`deltas`). */
export type StreamMode = CommandParams<"set_stream_mode">["mode"];
