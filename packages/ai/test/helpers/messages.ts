import {
  type AssistantMessage,
  emptyUsage,
  type Message,
  type Model,
  type ToolResultMessage,
  type UserMessage,
} from "../../src/index.ts";

/** Shorthands for messages of a stored conversation. All have the timestamp 1. */
export function user(content: UserMessage["content"]): UserMessage {
  return { role: "user", content, timestamp: 1 };
}

export function assistant(
  model: Pick<Model, "api" | "provider" | "id">,
  content: AssistantMessage["content"],
  stopReason: AssistantMessage["stopReason"] = content.some((block) => block.type === "toolCall") ? "toolUse" : "stop",
): AssistantMessage {
  const { api, provider, id } = model;
  return { role: "assistant", content, api, provider, model: id, usage: emptyUsage(), stopReason, timestamp: 1 };
}

export function result(toolCallId: string, text: string): ToolResultMessage {
  return { role: "toolResult", toolCallId, toolName: "read", content: [{ type: "text", text }], isError: false, timestamp: 1 };
}

/** Two turns: thinking, text and two parallel calls, one of which fails, then a new prompt. */
export function conversation(model: Model, thinkingSignature = "signature"): Message[] {
  return [
    user("Compare a and b"),
    assistant(model, [
      { type: "thinking", thinking: "Both files", thinkingSignature },
      { type: "text", text: "Reading" },
      { type: "toolCall", id: "call_1", name: "read", arguments: { path: "a" } },
      { type: "toolCall", id: "call_2", name: "read", arguments: { path: "b" } },
    ]),
    result("call_1", "alpha"),
    { ...result("call_2", "no such file"), isError: true },
    user([{ type: "text", text: "Go on" }]),
  ];
}
