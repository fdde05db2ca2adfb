import { cutDeep } from "../nesting.ts";
import type { Context, Message, Model } from "../types.ts";
import { type MaskedText, maskText } from "./text-mask.ts";

/** The parts of a message that a replay compares. */
export interface MessageSummary {
  role: Message["role"];
  /** The texts of all text blocks, joined. */
  text: string;
  /** Undefined if there are none. */
  toolCalls?: { name: string; arguments: unknown }[];
}

/** The parts of a request that a replay compares. */
export interface RequestSummary {
  /** The model's id. */
  model: string;
  /** Tool names, sorted, because their order may depend on the loading order. */
  tools: string[];
  messages: MessageSummary[];
}

/** Summarizes a request without the parts that differ between runs: system prompt, thinking, images, ids and times. */
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
