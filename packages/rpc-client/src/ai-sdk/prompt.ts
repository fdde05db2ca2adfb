import type { ModelCall } from "../model-function.ts";
import type { HostModelContext, ImageContent, TextContent } from "../protocol-types.ts";
import { type AiSdkModel, fromSignature, type ProviderData } from "./model.ts";

type Version = AiSdkModel["specificationVersion"];
type Message = HostModelContext["messages"][number];
type AssistantMessage = Extract<Message, { role: "assistant" }>;
type ToolResult = Extract<Message, { role: "toolResult" }>;

/** The options of `doStream` for a call. */
export function toCallOptions({ specificationVersion: version }: AiSdkModel, { context, options, signal }: ModelCall): object {
  const { maxTokens, temperature, reasoning, toolChoice } = options;
  const { tools } = context;
  return {
    prompt: toPrompt(context, version),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    // Earlier versions have no such option.
    ...(reasoning !== undefined && version === "v4" && { reasoning: reasoning === "off" ? "none" : reasoning }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({ type: "function", name, description, inputSchema: parameters })),
      toolChoice: toToolChoice(toolChoice),
    }),
    abortSignal: signal,
  };
}

function toToolChoice(choice: ModelCall["options"]["toolChoice"] = "auto"): object {
  return typeof choice === "object" ? { type: "tool", toolName: choice.tool } : { type: choice };
}

function toPrompt({ systemPrompt, messages }: HostModelContext, version: Version): object[] {
  const prompt: object[] = systemPrompt ? [{ role: "system", content: systemPrompt }] : [];
  /** The results of the calls of one answer are one message. */
  let results: object[] | undefined;
  for (const message of messages) {
    if (message.role === "toolResult") {
      if (results === undefined) {
        results = [];
        prompt.push({ role: "tool", content: results });
      }
      results.push(toToolResult(message, version));
      continue;
    }
    results = undefined;
    if (message.role === "assistant") prompt.push({ role: "assistant", content: message.content.map(toAnswerPart) });
    else prompt.push({ role: "user", content: toUserParts(message.content, version) });
  }
  return prompt;
}

function toUserParts(content: string | (TextContent | ImageContent)[], version: Version): object[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((block) => {
    if (block.type === "text") return { type: "text", text: block.text };
    return { type: "file", mediaType: block.mimeType, data: toFileData(block.data, version) };
  });
}

function toAnswerPart(block: AssistantMessage["content"][number]): object {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...toProviderOptions(fromSignature(block.textSignature)) };
    case "thinking":
      return { type: "reasoning", text: block.thinking, ...toProviderOptions(fromSignature(block.thinkingSignature)) };
    case "toolCall": {
      const { id: toolCallId, name: toolName, arguments: input, thoughtSignature } = block;
      return { type: "tool-call", toolCallId, toolName, input, ...toProviderOptions(fromSignature(thoughtSignature)) };
    }
  }
}

function toProviderOptions(providerOptions: ProviderData | undefined): object {
  return providerOptions === undefined ? {} : { providerOptions };
}

function toToolResult({ toolCallId, toolName, content, isError }: ToolResult, version: Version): object {
  return { type: "tool-result", toolCallId, toolName, output: toOutput(content, isError, version) };
}

function toOutput(content: ToolResult["content"], isError: boolean, version: Version): object {
  if (content.some(({ type }) => type === "image"))
    return { type: "content", value: content.map((block) => toOutputPart(block, version)) };
  const value = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return { type: isError ? "error-text" : "text", value };
}

function toOutputPart(block: TextContent | ImageContent, version: Version): object {
  if (block.type === "text") return { type: "text", text: block.text };
  const { data, mimeType: mediaType } = block;
  if (version === "v2") return { type: "media", data, mediaType };
  return version === "v3" ? { type: "image-data", data, mediaType } : { type: "file", data: toFileData(data, version), mediaType };
}

function toFileData(data: string, version: Version): unknown {
  return version === "v4" ? { type: "data", data } : data;
}
