import type { TProperties } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { literals } from "./literals.ts";
import {
  AssistantMessageSchema,
  TextContentSchema,
  ThinkingContentSchema,
  ThinkingLevelSchema,
  ToolCallSchema,
  ToolResultMessageSchema,
  UserMessageSchema,
} from "./messages.ts";

/** The schemas of models that the client holds. The types are in `@pikit/ai`. */

const tokens = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }));
const dollars = Type.Optional(Type.Number({ minimum: 0 }));

/** The definition of a host model in `set_host_models`. */
export const HostModelSchema = Type.Object({
  id: Type.String({ description: "1 to 256 characters without white space." }),
  name: Type.String({ description: "At most 256 characters." }),
  reasoning: Type.Optional(Type.Boolean({ description: "Whether it can think. Default false." })),
  input: Type.Optional(Type.Array(literals(["text", "image"]), { description: 'Default `["text"]`.' })),
  contextWindow: tokens("Tokens; 0, the default, when unknown."),
  maxTokens: tokens("Tokens; 0, the default, when unknown."),
  cost: Type.Optional(
    Type.Object(
      { input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars },
      { description: "US dollars per million tokens. Default 0." },
    ),
  ),
});
export type HostModel = (typeof HostModelSchema)["static"];

const count = Type.Optional(Type.Number({ minimum: 0 }));

/** Tokens of a call. */
export const HostModelUsageSchema = Type.Object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  totalTokens: Type.Optional(Type.Number({ description: "Ignored; it is computed." })),
  cost: Type.Optional(
    Type.Object(
      { input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars, total: dollars },
      { description: "US dollars. Default: the counts by the prices of the model." },
    ),
  ),
});

const text = Type.Optional(Type.String());

function step<const T extends string, P extends TProperties>(type: T, fields: P) {
  return Type.Object({ type: Type.Literal(type), contentIndex: Type.Integer({ minimum: 0 }), ...fields });
}

/** A step of an answer, as in deltas mode. The copy of the whole block at its end is optional. */
export const HostModelStepSchema = Type.Union([
  step("text_start", {}),
  step("text_delta", { delta: Type.String() }),
  step("text_end", { content: text, textSignature: text }),
  step("thinking_start", {}),
  step("thinking_delta", { delta: Type.String() }),
  step("thinking_end", { content: text, thinkingSignature: text, redacted: Type.Optional(Type.Boolean()) }),
  step("toolcall_start", { id: Type.String(), toolName: Type.String() }),
  step("toolcall_delta", { delta: Type.String() }),
  step("toolcall_end", { toolCall: Type.Optional(ToolCallSchema) }),
]);

/** The input of a model call. */
export const HostModelContextSchema = Type.Object({
  systemPrompt: text,
  messages: Type.Array(Type.Union([UserMessageSchema, AssistantMessageSchema, ToolResultMessageSchema])),
  tools: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      parameters: Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema of the arguments." }),
    }),
  ),
});

/** How the model is asked. */
export const HostModelOptionsSchema = Type.Object({
  maxTokens: Type.Optional(Type.Number()),
  temperature: Type.Optional(Type.Number()),
  reasoning: Type.Optional(ThinkingLevelSchema),
  cacheRetention: Type.Optional(literals(["none", "short", "long"])),
  sessionId: Type.Optional(Type.String({ description: "Of the conversation, for caches." })),
  toolChoice: Type.Optional(Type.Union([literals(["auto", "none", "required"]), Type.Object({ tool: Type.String() })])),
});

const callId = Type.String({ description: "Of the call." });

/** Asks a model of the host. */
export const HostModelCallSchema = Type.Object({
  type: Type.Literal("host_model_call"),
  id: Type.String({ description: "Of this call; the client's frames repeat it." }),
  modelId: Type.String(),
  context: HostModelContextSchema,
  options: HostModelOptionsSchema,
});
export type HostModelCallFrame = (typeof HostModelCallSchema)["static"];

/** Tells the host that pi no longer waits for the answer. */
export const HostModelCancelSchema = Type.Object({
  type: Type.Literal("host_model_cancel"),
  id: Type.String(),
  targetId: Type.String({ description: "The `id` of the call." }),
});

export const HostModelEventSchema = Type.Object({
  type: Type.Literal("host_model_event"),
  id: callId,
  event: Type.Optional(HostModelStepSchema),
  usage: Type.Optional(HostModelUsageSchema),
});

export const HostModelResultSchema = Type.Object({
  type: Type.Literal("host_model_result"),
  id: callId,
  stopReason: literals(["stop", "length", "toolUse"]),
  usage: Type.Optional(HostModelUsageSchema),
  content: Type.Optional(
    Type.Array(Type.Union([TextContentSchema, ThinkingContentSchema, ToolCallSchema]), {
      description: "The whole answer, of a host that sends no events.",
    }),
  ),
});

export const HostModelErrorSchema = Type.Object({
  type: Type.Literal("host_model_error"),
  id: callId,
  message: Type.String(),
  retryable: Type.Optional(
    Type.Boolean({ description: "Whether another try may succeed. Default: by the message, as for providers." }),
  ),
  overflow: Type.Optional(
    Type.Boolean({ description: "Whether the conversation is too long for the model. Default: by the message." }),
  ),
});
