import { cutDeep } from "../nesting.ts";
import type { Context, Message, Model } from "../types.ts";
import { type MaskedText, maskText } from "./text-mask.ts";

/** What of a message a replay compares. */
export interface MessageSummary {
  role: Message["role"];
  /** Of all text blocks, joined. */
  text: string;
  /** Absent when there are none. */
  toolCalls?: { name: string; arguments: unknown }[];
}

/** What of a request a replay compares. */
export interface RequestSummary {
  /** The model's id. */
  model: string;
  /** Names, sorted: their order may depend on what was loaded first. */
  tools: string[];
  messages: MessageSummary[];
}

/** What a request says, without what differs from one run to the next: system prompt, thinking, images, ids and times. */
export function summarizeRequest(model: Model, context: Context, masks: readonly MaskedText[]): RequestSummary {
  return {
    model: model.id,
    tools: (context.tools ?? []).map(({ name }) => name).sort(),
    messages: context.messages.map((message) => summarizeMessage(message, masks)),
  };
}

function summarizeMessage({ role, content }: Message, masks: readonly MaskedText[]): MessageSummary {
  if (typeof content === "string") return { role, text: maskText(content, masks) };
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const toolCalls = content.flatMap((block) => {
    if (block.type !== "toolCall") return [];
    return [{ name: block.name, arguments: JSON.parse(maskText(JSON.stringify(cutDeep(block.arguments)), masks)) as unknown }];
  });
  return { role, text: maskText(text, masks), ...(toolCalls.length > 0 && { toolCalls }) };
}
