import type { TProperties } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { ToolCallSchema, UsageSchema } from "./messages.ts";

function step<const T extends string, P extends TProperties>(type: T, fields: P) {
  return Type.Object({ type: Type.Literal(type), contentIndex: Type.Number(), ...fields });
}

const signature = Type.Optional(Type.String());

/** A `message_update` of deltas mode, as `toDelta` creates it. */
export const DeltaUpdateSchema = Type.Object({
  type: Type.Literal("message_update"),
  assistantMessageEvent: Type.Union([
    step("text_start", {}),
    step("text_delta", { delta: Type.String() }),
    step("text_end", { content: Type.String(), textSignature: signature }),
    step("thinking_start", {}),
    step("thinking_delta", { delta: Type.String() }),
    step("thinking_end", { content: Type.String(), thinkingSignature: signature, redacted: Type.Optional(Type.Boolean()) }),
    step("toolcall_start", { id: Type.String(), toolName: Type.String() }),
    step("toolcall_delta", { delta: Type.String() }),
    step("toolcall_end", { toolCall: ToolCallSchema }),
  ]),
  usage: Type.Optional(UsageSchema),
});
