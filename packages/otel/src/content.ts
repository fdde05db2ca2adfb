import type { AgentSession } from "@pikit/coding-agent";

type AgentMessage = AgentSession["messages"][number];

/** Maximum characters of one text in a message. */
const maxText = 8192;

/** A part of a message, as the conventions define it. */
type Part =
  | { type: "text" | "reasoning"; content: string }
  | { type: "blob"; modality: "image"; mime_type: string }
  | { type: "tool_call"; id: string; name: string; arguments: unknown }
  | { type: "tool_call_response"; id: string; result: string };

/** Converts content to attributes, with a maximum size for each. */
export class Content {
  readonly #maxLength: number;

  /** @param maxLength - Maximum characters of one attribute. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** One text, cut at the limit. */
  text(text: string): string {
    return cut(text, this.#maxLength);
  }

  /** A JSON text, cut at the limit: a longer one is no JSON any more. */
  json(value: unknown): string {
    return this.text(JSON.stringify(value) ?? "null");
  }

  instructions(text: string): string {
    return this.#list([{ type: "text", content: text }], (part) => part);
  }

  /** Messages as a JSON list. The last ones that fit are kept, because they are new; the others are in the spans of earlier calls. */
  messages(messages: readonly AgentMessage[], finishReason?: string): string {
    const more = finishReason === undefined ? {} : { finish_reason: finishReason };
    return this.#list(messages, (message) => {
      const parts = partsOf(message);
      return parts.length === 0 && finishReason === undefined ? undefined : { role: roleOf(message), parts, ...more };
    });
  }

  #list<T>(values: readonly T[], convert: (value: T) => unknown): string {
    const kept: string[] = [];
    let length = 2;
    for (let index = values.length - 1; index >= 0; index -= 1) {
      const converted = convert(values[index] as T);
      if (converted === undefined) continue;
      const text = JSON.stringify(converted);
      length += text.length + 1;
      if (length > this.#maxLength) break;
      kept.push(text);
    }
    return `[${kept.reverse().join(",")}]`;
  }
}

function roleOf({ role }: AgentMessage): string {
  if (role === "assistant") return "assistant";
  return role === "toolResult" ? "tool" : "user";
}

function partsOf(message: AgentMessage): Part[] {
  if (message.role === "toolResult") {
    const { toolCallId, content } = message;
    return [{ type: "tool_call_response", id: toolCallId, result: cut(textOf(content), maxText) }];
  }
  if (!("content" in message)) return [];
  const { content } = message;
  return typeof content === "string" ? [toTextPart("text", content)] : content.flatMap(toPart);
}

type Block = Exclude<Extract<AgentMessage, { content: unknown }>["content"], string>[number];

function toPart(block: Block): Part[] {
  switch (block.type) {
    case "text":
      return [toTextPart("text", block.text)];
    case "thinking":
      return [toTextPart("reasoning", block.thinking)];
    case "image":
      return [{ type: "blob", modality: "image", mime_type: block.mimeType }];
    case "toolCall": {
      const text = JSON.stringify(block.arguments);
      return [
        {
          type: "tool_call",
          id: block.id,
          name: block.name,
          arguments: text.length > maxText ? cut(text, maxText) : block.arguments,
        },
      ];
    }
    default:
      return [];
  }
}

function toTextPart(type: "text" | "reasoning", text: string): Part {
  return { type, content: cut(text, maxText) };
}

/** The text of the result of a tool, without its images. */
export function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.flatMap(({ text }) => text ?? []).join("\n");
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length - maxLength} characters left out)`;
}

/** Whether the variable of the conventions asks for content in spans. */
export function isContentWanted(env: NodeJS.ProcessEnv): boolean {
  const value = env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim().toLowerCase() ?? "";
  return ["true", "span_only", "span_and_event"].includes(value);
}
