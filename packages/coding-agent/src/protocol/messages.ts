import type { Api } from "@pikit/ai";
import type { Static, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { literals } from "./literals.ts";

/**
 * Schemas of models, messages and their parts. Their TypeScript types live in `@pikit/ai` and `@pikit/agent`; a type-only test asserts
 * that each schema's type equals the type it describes.
 */

/** A field that may be absent or null, with the same meaning. */
function nullable<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

const api = Type.Unsafe<Api>(Type.String());

export const ThinkingLevelSchema = literals(["off", "minimal", "low", "medium", "high", "xhigh"]);
/** A level as it can be asked for: `max` is the highest. */
export const RequestedThinkingLevelSchema = literals(["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
export const StopReasonSchema = literals(["stop", "length", "toolUse", "error", "aborted"]);

/** A model as protocols show it: never its headers or keys. */
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

/** An attachment on its message. In files an image has no `content`, since it is in that of the message. */
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

export const ToolResultMessageSchema = Type.Object({
  role: Type.Literal("toolResult"),
  toolCallId: Type.String(),
  toolName: Type.String(),
  content: textOrImages,
  details: Type.Optional(Type.Unknown()),
  isError: Type.Boolean(),
  timestamp,
});

/** A shell command that the user ran; the model reads it with the next prompt. */
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

/** A message of an extension or of pikit itself: the model reads its content, a user interface shows it if `display`. */
export const CustomMessageSchema = Type.Object({
  role: Type.Literal("custom"),
  customType: Type.String(),
  content: Type.Union([Type.String(), textOrImages]),
  display: Type.Boolean(),
  details: Type.Optional(Type.Unknown()),
  timestamp,
});
export type CustomMessage = Static<typeof CustomMessageSchema>;

/** What an abandoned branch was about. */
export const BranchSummaryMessageSchema = Type.Object({
  role: Type.Literal("branchSummary"),
  summary: Type.String(),
  fromId: Type.String(),
  timestamp,
});
export type BranchSummaryMessage = Static<typeof BranchSummaryMessageSchema>;

/** Stands for the part of the conversation that was compacted. */
export const CompactionSummaryMessageSchema = Type.Object({
  role: Type.Literal("compactionSummary"),
  summary: Type.String(),
  tokensBefore: Type.Number(),
  timestamp,
});
export type CompactionSummaryMessage = Static<typeof CompactionSummaryMessageSchema>;

/** Every message that a protocol shows. */
export const AgentMessageSchema = Type.Union([
  UserMessageSchema,
  AssistantMessageSchema,
  ToolResultMessageSchema,
  BashExecutionMessageSchema,
  CustomMessageSchema,
  BranchSummaryMessageSchema,
  CompactionSummaryMessageSchema,
]);
