import { createScriptedModel, type Script, type ScriptedAnswer } from "@pikit/ai";
import { Type } from "@sinclair/typebox";
import { Agent, type AgentEvent, type AgentOptions, type AgentTool } from "../../src/index.ts";

/** An agent on a scripted model, with everything that it emits. */
export function createScriptedAgent(script: Script | ScriptedAnswer[], options: AgentOptions = {}) {
  const agent = new Agent({ model: createScriptedModel({ script }), ...options });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    events.push(event);
  });
  return { agent, events };
}

/** Says what happened in a form that can be compared whole: types, with roles, texts and calls where they matter. */
export function outline(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "message_start":
        return [];
      case "message_update":
        return event.assistantMessageEvent.type.endsWith("_delta") ? [] : [`  ${event.assistantMessageEvent.type}`];
      case "message_end":
        return [`${event.message.role}: ${describe(event.message)}`];
      case "tool_execution_start":
      case "tool_execution_update":
        return [`${event.type} ${event.toolName}`];
      case "tool_execution_end":
        return [`${event.type} ${event.toolName}${event.isError ? " (error)" : ""}`];
      default:
        return [event.type];
    }
  });
}

function describe(message: Extract<AgentEvent, { type: "message_end" }>["message"]): string {
  if (message.role === "assistant") {
    const blocks = message.content.map((block) =>
      block.type === "text" ? block.text : block.type === "toolCall" ? `${block.name}()` : "…",
    );
    return `${blocks.join(" + ")} [${message.stopReason}]`;
  }
  if (message.role !== "user" && message.role !== "toolResult") return message.role;
  if (typeof message.content === "string") return message.content;
  return message.content.map((block) => (block.type === "text" ? block.text : block.type)).join(" + ");
}

/** A tool that answers with its own argument. */
export function createEchoTool(overrides: Partial<AgentTool> = {}): AgentTool {
  const parameters = Type.Object({ text: Type.String(), times: Type.Optional(Type.Integer()) });
  const tool: AgentTool<typeof parameters> = {
    name: "echo",
    label: "Echo",
    description: "Answers with its text.",
    parameters,
    async execute(_toolCallId, { text, times = 1 }) {
      return { content: [{ type: "text", text: Array(times).fill(text).join(" ") }], details: null };
    },
  };
  return { ...(tool as AgentTool), ...overrides };
}
