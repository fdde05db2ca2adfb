/** The types of the protocol's table, under the names that a program uses. The published declarations have them written out in full. */
import type {
  AgentMessageSchema,
  AssistantMessageSchema,
  AttachmentSchema,
  BashResultSchema,
  commands,
  events,
  ImageContentSchema,
  SessionStateSchema,
  TextContentSchema,
  ToolCallSchema,
  ToolResultMessageSchema,
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
