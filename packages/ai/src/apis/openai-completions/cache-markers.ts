import type { ChatCompletionContentPartText, ChatCompletionCreateParams } from "openai/resources/chat/completions";

/** Marks the end of a prefix to cache. Anthropic's format, which OpenRouter passes on. */
export interface CacheMarker {
  type: "ephemeral";
  ttl?: "1h";
}

/** Adds a cache marker at the end of each part that stays the same from call to call: system prompt, tools, conversation. */
export function markForCache(body: Pick<ChatCompletionCreateParams, "messages" | "tools">, cache_control: CacheMarker): void {
  const lastTool = body.tools?.at(-1);
  if (lastTool) Object.assign(lastTool, { cache_control });
  for (const message of [body.messages[0], body.messages.at(-1)]) {
    if (message?.role !== "system" && message?.role !== "user" && message?.role !== "tool") continue;
    // Only a content part can carry a marker.
    if (typeof message.content === "string") message.content = [{ type: "text", text: message.content }];
    const parts: readonly { type: string }[] = message.content;
    const lastText = parts.findLast((part): part is ChatCompletionContentPartText => part.type === "text");
    if (lastText) Object.assign(lastText, { cache_control });
  }
}
