import type { Api } from "@pikit/ai";
import type { Static, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { literals } from "./literals.ts";

/**
 * Schemas of models, messages and their parts. The TypeScript types are in `@pikit/ai` and `@pikit/agent`; a type-only test asserts that
 * each schema matches its type.
 */

/** A field that may be absent or null; both mean the same. */
function nullable<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

const api = Type.Unsafe<Api>(Type.String());

export const ThinkingLevelSchema = literals(["off", "minimal", "low", "medium", "high", "xhigh"]);
/** A level in a command; `max` is the highest one. */
export const RequestedThinkingLevelSchema = literals(["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
export const StopReasonSchema = literals(["stop", "length", "toolUse", "error", "aborted"]);

/** A model in the protocol, without its headers and keys. */
export const WireModelSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  api,
  provider: Type.String(),
  baseUrl: Type.String(),
  reasoning: Type.Boolean(),
  input: Type.Array(literals(["text", "image"])),
  contextWindow: Type.Number({ description: "Tokens; 0 when unknown." }),
  maxTokens: Type.Number({ description: "Tokens; 0 when unknown." }),
  cost: Type.Object(
    { input: Type.Number(), output: Type.Number(), cacheRead: Type.Number(), cacheWrite: Type.Number() },
    { description: "US dollars per million tokens." },
  ),
});
export type WireModel = Static<typeof WireModelSchema>;

export const TextContentSchema = Type.Object({
  type: Type.Literal("text"),
  text: Type.String(),
  textSignature: Type.Optional(Type.String()),
});

export const ThinkingContentSchema = Type.Object({
  type: Type.Literal("thinking"),
  thinking: Type.String(),
  thinkingSignature: Type.Optional(Type.String()),
  redacted: Type.Optional(Type.Boolean()),
});

export const ImageContentSchema = Type.Object({
  type: Type.Literal("image"),
  data: Type.String({ description: "Base64, without a data URL prefix." }),
  mimeType: Type.String(),
});

export const ToolCallSchema = Type.Object({
  type: Type.Literal("toolCall"),
  id: Type.String(),
  name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
  thoughtSignature: Type.Optional(Type.String()),
  argumentsError: Type.Optional(Type.String()),
});

function attachment<C extends TSchema>(content: C) {
  return Type.Object({
    id: Type.String(),
    type: literals(["image", "document"]),
    fileName: Type.String(),
    mimeType: Type.String(),
    size: Type.Number({ description: "Bytes of the original file." }),
    content,
    extractedText: nullable(Type.String()),
    preview: nullable(Type.String()),
  });
}

const attachmentContent = Type.String({ description: "Base64, without a data URL prefix." });

export const AttachmentSchema = attachment(attachmentContent);

/** An attachment in its message. In session files an image has no `content`, because the message already contains it. */
export const KeptAttachmentSchema = attachment(Type.Optional(attachmentContent));

export const UsageSchema = Type.Object({
  input: Type.Number(),
  output: Type.Number(),
  cacheRead: Type.Number(),
  cacheWrite: Type.Number(),
  totalTokens: Type.Number(),
  cost: Type.Object({
    input: Type.Number(),
    output: Type.Number(),
    cacheRead: Type.Number(),
    cacheWrite: Type.Number(),
    total: Type.Number(),
  }),
});

const timestamp = Type.Number({ description: "Unix time in milliseconds." });
const textOrImages = Type.Array(Type.Union([TextContentSchema, ImageContentSchema]));

export const UserMessageSchema = Type.Object({
  role: Type.Literal("user"),
  content: Type.Union([Type.String(), textOrImages]),
  timestamp,
  attachments: Type.Optional(Type.Array(KeptAttachmentSchema)),
});

export const AssistantMessageSchema = Type.Object({
  role: Type.Literal("assistant"),
  content: Type.Array(Type.Union([TextContentSchema, ThinkingContentSchema, ToolCallSchema])),
  api,
  provider: Type.String(),
  model: Type.String(),
  usage: UsageSchema,
  stopReason: StopReasonSchema,
  errorMessage: Type.Optional(Type.String()),
  timestamp,
});

/** Plain text for people about a tool call, in place of its arguments and of its content. */
export const ToolDisplaySchema = Type.Object({
  call: Type.Optional(Type.String({ description: "The call in one line." })),
  result: Type.Optional(Type.Array(Type.String(), { description: "The lines of the result; none: it is not shown." })),
});

export const ToolResultMessageSchema = Type.Object({
  role: Type.Literal("toolResult"),
  toolCallId: Type.String(),
  toolName: Type.String(),
  content: textOrImages,
  details: Type.Optional(Type.Unknown()),
  display: Type.Optional(ToolDisplaySchema),
  isError: Type.Boolean(),
  timestamp,
});

/** A shell command of the user; the model gets it with the next prompt. */
export const BashExecutionMessageSchema = Type.Object({
  role: Type.Literal("bashExecution"),
  command: Type.String(),
  output: Type.String(),
  exitCode: Type.Union([Type.Number(), Type.Null()]),
  cancelled: Type.Boolean(),
  truncated: Type.Boolean(),
  fullOutputPath: Type.Union([Type.String(), Type.Null()]),
  excludeFromContext: Type.Optional(Type.Boolean()),
  timestamp,
});
export type BashExecutionMessage = Static<typeof BashExecutionMessageSchema>;

/** A message of an extension or of pikit itself. The model gets its content; a user interface shows it if `display` is true. */
export const CustomMessageSchema = Type.Object({
  role: Type.Literal("custom"),
  customType: Type.String(),
  content: Type.Union([Type.String(), textOrImages]),
  display: Type.Boolean(),
  details: Type.Optional(Type.Unknown()),
  timestamp,
});
export type CustomMessage = Static<typeof CustomMessageSchema>;

/** The summary of an abandoned branch. */
export const BranchSummaryMessageSchema = Type.Object({
  role: Type.Literal("branchSummary"),
  summary: Type.String(),
  fromId: Type.String(),
  timestamp,
});
export type BranchSummaryMessage = Static<typeof BranchSummaryMessageSchema>;

/** Replaces the compacted part of the conversation. */
export const CompactionSummaryMessageSchema = Type.Object({
  role: Type.Literal("compactionSummary"),
  summary: Type.String(),
  tokensBefore: Type.Number(),
  timestamp,
});
export type CompactionSummaryMessage = Static<typeof CompactionSummaryMessageSchema>;

/** Every message of the protocol. */
export const AgentMessageSchema = Type.Union([
  UserMessageSchema,
  AssistantMessageSchema,
  ToolResultMessageSchema,
  BashExecutionMessageSchema,
  CustomMessageSchema,
  BranchSummaryMessageSchema,
  CompactionSummaryMessageSchema,
]);
