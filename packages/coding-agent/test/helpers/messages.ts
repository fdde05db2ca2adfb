import { type AssistantMessage, emptyUsage, type ToolResultMessage, type UserMessage } from "@pikit/ai";

export function userMessage(content: UserMessage["content"]): UserMessage {
  return { role: "user", content, timestamp: 1 };
}

export function assistantMessage(text: string, overrides: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "scripted",
    provider: "test",
    model: "m",
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp: 2,
    ...overrides,
  };
}

export function toolResult(toolCallId: string, text: string): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "bash",
    content: [{ type: "text", text }],
    details: null,
    isError: false,
    timestamp: 3,
  };
}
