import type { Content, Part } from "@google/genai";
import type { HistoryConverter, HistoryPart } from "../../history/kept-history.ts";
import type { AssistantMessage, ImageContent, Message, TextContent, ToolCall, ToolResultMessage } from "../../types.ts";
import { toWireName } from "../tool-names.ts";
import type { GoogleCompat } from "./compat.ts";
import { anyCallSignature, signatureField } from "./signatures.ts";

/** A turn with its parts. */
export type GoogleTurn = Content & { role: "user" | "model"; parts: Part[] };

export function createConverter(compat: GoogleCompat): HistoryConverter<GoogleTurn> {
  const converter: HistoryConverter<GoogleTurn> = {
    convert: (messages, part) => convertMessages(messages, part, compat),
    fork: () => converter,
  };
  return converter;
}

/**
 * Converts a part of a prepared history. Turns alternate, and the first and the last are the user's; neighbours of one role become one turn.
 */
function convertMessages(messages: readonly Message[], { isStart, isEnd }: HistoryPart, compat: GoogleCompat): GoogleTurn[] {
  const turns: GoogleTurn[] = [];
  const push = (role: GoogleTurn["role"], parts: Part[]) => {
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ role, parts });
  };
  /** Images of the results since the last answer. They wait because nothing may stand between the function responses of a turn. */
  let images: Part[] = [];
  const flushImages = () => {
    if (images.length > 0) push("user", [{ text: "Images of the tool results:" }, ...images]);
    images = [];
  };
  for (const message of messages) {
    if (message.role === "toolResult") {
      push("user", [convertResult(message, compat)]);
      if (!compat.imagesInResponses) images.push(...imagesOf(message));
      continue;
    }
    flushImages();
    if (message.role === "assistant") {
      // The start of the history was cut, for example by a compaction.
      if (isStart && turns.length === 0) push("user", [{ text: "(The conversation goes on here.)" }]);
      push("model", convertAnswer(message, compat));
    } else {
      push("user", typeof message.content === "string" ? [{ text: message.content }] : message.content.map(convertPart));
    }
  }
  flushImages();
  if (isEnd && turns.at(-1)?.role === "model") push("user", [{ text: "Continue." }]);
  return turns;
}

function convertAnswer(message: AssistantMessage, compat: GoogleCompat): Part[] {
  let isFirstCall = true;
  const parts = message.content.map((block): Part => {
    if (block.type === "text") return { text: block.text, ...signatureField(block.textSignature) };
    if (block.type === "thinking") return { text: block.thinking, thought: true, ...signatureField(block.thinkingSignature) };
    const part = convertCall(block, compat);
    if (isFirstCall && compat.callSignatures) part.thoughtSignature ??= anyCallSignature;
    isFirstCall = false;
    return part;
  });
  // An empty text is kept only for its signature, so it is dropped if the signature is not valid.
  return parts.filter((part) => part.text?.trim() !== "" || part.thoughtSignature !== undefined);
}

function convertCall(block: ToolCall, { callIds }: GoogleCompat): Part {
  const functionCall = { ...(callIds && { id: block.id }), name: toWireName(block.name), args: block.arguments };
  return { functionCall, ...signatureField(block.thoughtSignature) };
}

function convertResult(message: ToolResultMessage, { callIds, imagesInResponses }: GoogleCompat): Part {
  const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const images = imagesInResponses ? imagesOf(message) : [];
  return {
    functionResponse: {
      ...(callIds && { id: message.toolCallId }),
      name: toWireName(message.toolName),
      response: message.isError ? { error: text } : { output: text },
      ...(images.length > 0 && { parts: images }),
    },
  };
}

function imagesOf(message: ToolResultMessage): Pick<Part, "inlineData">[] {
  return message.content.filter((block) => block.type === "image").map(convertImage);
}

function convertPart(block: TextContent | ImageContent): Part {
  return block.type === "text" ? { text: block.text } : convertImage(block);
}

function convertImage({ mimeType, data }: ImageContent): Pick<Part, "inlineData"> {
  return { inlineData: { mimeType, data } };
}
