/** The types of the protocol's table, under the names that a program uses. The published declarations have them written out in full. */
import type {
  AgentMessageSchema,
  AssistantMessageSchema,
  AttachmentSchema,
  BashResultSchema,
  CompactionResultSchema,
  commands,
  EntryTreeNodeSchema,
  events,
  HostToolOutputSchema,
  HostToolSchema,
  ImageContentSchema,
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

/** Names of the commands that an agent knows. */
export type CommandName = keyof Commands;
/** What a command takes, by its name. */
export type CommandParams<N extends CommandName> = Commands[N]["params"];
/** What a successful command answers, by its name. */
export type CommandData<N extends CommandName> = Commands[N]["data"];

export type EventName = keyof Events;
/** What an agent tells unasked, by `type`. */
export type RpcEvent = Events[EventName];

export type TextContent = (typeof TextContentSchema)["static"];
export type ImageContent = (typeof ImageContentSchema)["static"];
export type ToolCall = (typeof ToolCallSchema)["static"];
export type Attachment = (typeof AttachmentSchema)["static"];
export type UserMessage = (typeof UserMessageSchema)["static"];
export type AssistantMessage = (typeof AssistantMessageSchema)["static"];
export type ToolResultMessage = (typeof ToolResultMessageSchema)["static"];
/** Everything that a conversation can hold, by `role`. */
export type AgentMessage = (typeof AgentMessageSchema)["static"];
/** A model as the protocol shows it. */
export type WireModel = (typeof WireModelSchema)["static"];
export type SessionState = (typeof SessionStateSchema)["static"];
export type BashResult = (typeof BashResultSchema)["static"];
export type SessionStats = (typeof SessionStatsSchema)["static"];
export type CompactionResult = (typeof CompactionResultSchema)["static"];
export type TodoPhase = (typeof TodoPhaseSchema)["static"];
/** A phase as somebody sets it: ids and states may be left out. */
export type TodoPhaseInput = (typeof TodoPhaseInputSchema)["static"];
/** A line of a session after its header. */
export type SessionEntry = (typeof SessionEntrySchema)["static"];
/** An entry with those that follow it. */
export type EntryTreeNode = (typeof EntryTreeNodeSchema)["static"];
/** A tool of this program as the agent is told of it. */
export type HostTool = (typeof HostToolSchema)["static"];
/** What a host tool gives. */
export type HostToolOutput = (typeof HostToolOutputSchema)["static"];
/** A question to the user, or something to show, by `method`. */
export type UiRequest = (typeof UiRequestSchema)["static"];
/** The answer to a dialog: `confirmed` for `confirm`, `value` for the others, `cancelled` for all. */
export type UiResponse = (typeof UiResponseSchema)["static"];
/** How answers are streamed: every record with the whole message so far, or only what is new. */
export type StreamMode = CommandParams<"set_stream_mode">["mode"];
