import type { ChatCompletionContentPartText } from "openai/resources/chat/completions";
import type { OpenAIBody } from "./request.ts";

/** Marks the end of a prefix that is worth keeping; Anthropic's form, which OpenRouter passes on. */
export interface CacheMarker {
  type: "ephemeral";
  ttl?: "1h";
}

/** Marks the ends of the parts that stay the same from call to call: the system prompt, the tools, the conversation. */
export function markForCache(body: OpenAIBody, cache_control: CacheMarker): void {
  const lastTool = body.tools?.at(-1);
  if (lastTool) Object.assign(lastTool, { cache_control });
  for (const message of [body.messages[0], body.messages.at(-1)]) {
    if (message?.role !== "system" && message?.role !== "user" && message?.role !== "tool") continue;
    // Only a part can carry a mark.
    if (typeof message.content === "string") message.content = [{ type: "text", text: message.content }];
    const parts: readonly { type: string }[] = message.content;
    const lastText = parts.findLast((part): part is ChatCompletionContentPartText => part.type === "text");
    if (lastText) Object.assign(lastText, { cache_control });
  }
}
