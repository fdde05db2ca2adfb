import type { AgentEvent, AgentMessage, Attachment, UserMessageWithAttachments } from "@pikit/agent";
import type {
  AssistantMessage,
  AssistantMessageEvent,
  HostModelDescription,
  HostModelEvent,
  HostModelFailure,
  HostModelRequest,
  HostModelResult,
  HostModelUsage,
  ImageContent,
  Model,
  StopReason,
  TextContent,
  ThinkingContent,
  ThinkingLevel,
  ToolCall,
  ToolResultMessage,
  Usage,
} from "@pikit/ai";
import type { Static } from "@sinclair/typebox";
import { test } from "vitest";
import type { AssistantMessageEventSchema, EventName, events, SessionEvent } from "../../src/protocol/events.ts";
import type {
  HostModelCallSchema,
  HostModelErrorSchema,
  HostModelResultSchema,
  HostModelSchema,
  HostModelStepSchema,
  HostModelUsageSchema,
} from "../../src/protocol/host-models.ts";
import type {
  AgentMessageSchema,
  AssistantMessageSchema,
  AttachmentSchema,
  ImageContentSchema,
  StopReasonSchema,
  TextContentSchema,
  ThinkingContentSchema,
  ThinkingLevelSchema,
  ToolCallSchema,
  ToolResultMessageSchema,
  UsageSchema,
  UserMessageSchema,
  WireModelSchema,
} from "../../src/protocol/messages.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import type { Equal } from "../helpers/types.ts";

type Events = { [N in EventName]: Static<(typeof events)[N]> };
type WireModelFields =
  | "id"
  | "name"
  | "api"
  | "provider"
  | "baseUrl"
  | "reasoning"
  | "input"
  | "contextWindow"
  | "maxTokens"
  | "cost";

/** Does not compile when a schema and the type that it describes part ways; there is nothing to see at run time. */
test("each schema has the type that ai and agent declare", () => {
  const _text: Equal<Static<typeof TextContentSchema>, TextContent> = true;
  const _thinking: Equal<Static<typeof ThinkingContentSchema>, ThinkingContent> = true;
  const _image: Equal<Static<typeof ImageContentSchema>, ImageContent> = true;
  const _toolCall: Equal<Static<typeof ToolCallSchema>, ToolCall> = true;
  const _usage: Equal<Static<typeof UsageSchema>, Usage> = true;
  const _stopReason: Equal<Static<typeof StopReasonSchema>, StopReason> = true;
  const _level: Equal<Static<typeof ThinkingLevelSchema>, ThinkingLevel> = true;
  const _attachment: Equal<Static<typeof AttachmentSchema>, Attachment> = true;
  const _user: Equal<Static<typeof UserMessageSchema>, UserMessageWithAttachments> = true;
  const _step: Equal<Static<typeof HostModelStepSchema>, HostModelEvent> = true;
  const _hostUsage: Equal<Static<typeof HostModelUsageSchema>, HostModelUsage> = true;
  const _result: Equal<Omit<Static<typeof HostModelResultSchema>, "type" | "id">, HostModelResult> = true;
  const _failure: Equal<Omit<Static<typeof HostModelErrorSchema>, "type" | "id">, HostModelFailure> = true;
  const _description: Static<typeof HostModelSchema> extends HostModelDescription ? true : false = true;
  const _request: HostModelRequest extends Omit<Static<typeof HostModelCallSchema>, "type" | "id" | "context"> ? true : false =
    true;
  const _assistant: Equal<Static<typeof AssistantMessageSchema>, AssistantMessage> = true;
  const _toolResult: Equal<Static<typeof ToolResultMessageSchema>, ToolResultMessage> = true;
  const _message: Equal<Static<typeof AgentMessageSchema>, AgentMessage> = true;
  const _model: Equal<Static<typeof WireModelSchema>, Pick<Model, WireModelFields>> = true;
});

test("each event schema has the type of the event that is emitted", () => {
  const _step: Equal<Static<typeof AssistantMessageEventSchema>, AssistantMessageEvent> = true;
  const _all: Equal<Events[EventName], AgentSessionEvent> = true;
  const _loop: Equal<Exclude<Events[EventName], SessionEvent>, AgentEvent> = true;
  const _end: Equal<Events["agent_end"], Extract<AgentEvent, { type: "agent_end" }>> = true;
  const _update: Equal<Events["message_update"], Extract<AgentEvent, { type: "message_update" }>> = true;
  const _toolEnd: Equal<Events["tool_execution_end"], Extract<AgentEvent, { type: "tool_execution_end" }>> = true;
});

test("the comparison sees a missing field, another type, and an optional field", () => {
  // @ts-expect-error a field is missing
  const _missing: Equal<{ a: string }, { a: string; b: number }> = true;
  // @ts-expect-error another type
  const _other: Equal<{ a: string[] }, { a: number[] }> = true;
  // @ts-expect-error optional
  const _optional: Equal<{ a?: string }, { a: string }> = true;
  // @ts-expect-error optional, further down, in one member of a union
  const _nested: Equal<{ type: "a" } | { type: "b"; c: { d?: string } }, { type: "a" } | { type: "b"; c: { d: string } }> = true;
});
