import type {
  ChatCompletionContentPartText,
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";

/** Marks the end of a prefix to cache. Anthropic's format, which OpenRouter passes on. */
export interface CacheMarker {
  type: "ephemeral";
  ttl?: "1h";
}

/** Marks the end of the tools. */
export function markTools(tools: ChatCompletionCreateParams["tools"], cache_control: CacheMarker): void {
  const lastTool = tools?.at(-1);
  if (lastTool) Object.assign(lastTool, { cache_control });
}

/** Marks the end of a message. An answer of the model has no marker. */
export function markMessage(message: ChatCompletionMessageParam | undefined, cache_control: CacheMarker): void {
  if (message?.role !== "system" && message?.role !== "user" && message?.role !== "tool") return;
  // Only a content part can carry a marker.
  if (typeof message.content === "string") message.content = [{ type: "text", text: message.content }];
  const parts: readonly { type: string }[] = message.content;
  const lastText = parts.findLast((part): part is ChatCompletionContentPartText => part.type === "text");
  if (lastText) Object.assign(lastText, { cache_control });
}
