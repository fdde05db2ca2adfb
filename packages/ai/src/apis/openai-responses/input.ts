import type {
  ResponseFunctionCallOutputItem,
  ResponseInputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import type { AssistantMessage, ImageContent, Message, Model, TextContent, ToolCall, ToolResultMessage } from "../../types.ts";
import { toWireName } from "../tool-names.ts";
import { isItemId, splitCallIds, toSafeId } from "./ids.ts";
import { readMessageSignature, readReasoning } from "./signatures.ts";

/** Converts a prepared history to the items of a request. */
export function convertMessages(messages: readonly Message[], model: Model): ResponseInputItem[] {
  const ids = new RequestIds();
  return messages.flatMap((message): ResponseInputItem[] => {
    if (message.role === "assistant") return convertAnswer(message, model, ids);
    if (message.role === "toolResult") return [convertResult(message, ids)];
    const content = typeof message.content === "string" ? [{ type: "text" as const, text: message.content }] : message.content;
    return [{ role: "user", content: content.map(convertPart) }];
  });
}

/** The ids of one request: keeps item ids unique, and gives each result the id of its call. */
class RequestIds {
  readonly #used = new Set<string>();
  /** The sent call ids by `ToolCall.id`, in order: some servers repeat an id in every answer, or within one. */
  readonly #callIds = new Map<string, string[]>();
  #messageCount = 0;

  /** A message must have an id. If its own is missing or already used, it gets one that is the same in every request. */
  messageId(own: string | undefined): string {
    this.#messageCount += 1;
    const id = own === undefined ? undefined : toSafeId(own);
    return id !== undefined && this.take(id) ? id : `msg_pikit_${this.#messageCount}`;
  }

  /** Reserves an id. Returns false if it was already used. */
  take(id: string): boolean {
    const isFree = !this.#used.has(id);
    this.#used.add(id);
    return isFree;
  }

  /** Reserves a unique id for a call. */
  callId(toolCallId: string, own: string): string {
    let callId = toSafeId(own);
    for (let count = 2; !this.take(callId); count += 1) callId = toSafeId(`${own}#${count}`);
    this.#callIds.set(toolCallId, [...(this.#callIds.get(toolCallId) ?? []), callId]);
    return callId;
  }

  /** The id that was sent for the call of the next result with this `toolCallId`; results are in the order of their calls. */
  answeredId(toolCallId: string): string {
    return this.#callIds.get(toolCallId)?.shift() ?? toSafeId(toolCallId);
  }
}

/**
 * Puts texts before calls, because the outputs must follow the calls directly. Reasoning goes in front of the next item. Reasoning at the
 * end of a cut answer has no next item and is left out, because the server rejects it alone.
 */
function convertAnswer(message: AssistantMessage, model: Model, ids: RequestIds): ResponseInputItem[] {
  const texts: ResponseInputItem[] = [];
  const calls: ResponseInputItem[] = [];
  let reasoning: ResponseReasoningItem[] = [];
  const keepsIds = isOwnAnswer(message, model);
  for (const block of message.content) {
    if (block.type === "thinking") {
      const item = readReasoning(block.thinkingSignature);
      if (item) reasoning.push(item);
    } else if (block.type === "text") {
      texts.push(...reasoning, convertText(block, keepsIds, ids));
      reasoning = [];
    } else {
      calls.push(...reasoning, convertCall(block, message, keepsIds, ids));
      reasoning = [];
    }
  }
  return [...texts, ...calls];
}

/** Whether item ids may be sent back. The server requires the reasoning of every item with a known id, so all of it must be sent too. */
function isOwnAnswer(message: AssistantMessage, model: Model): boolean {
  if (message.provider !== model.provider || message.api !== model.api || message.model !== model.id) return false;
  return message.content.every((block) => block.type !== "thinking" || readReasoning(block.thinkingSignature) !== undefined);
}

function convertText(block: TextContent, keepsId: boolean, ids: RequestIds): ResponseInputItem {
  const { id, phase } = readMessageSignature(block.textSignature);
  return {
    type: "message",
    role: "assistant",
    id: ids.messageId(keepsId ? id : undefined),
    status: "completed",
    content: [{ type: "output_text", text: block.text, annotations: [] }],
    ...(phase && { phase }),
  };
}

function convertCall(block: ToolCall, message: AssistantMessage, keepsId: boolean, ids: RequestIds): ResponseInputItem {
  const own = message.api === "openai-responses" ? splitCallIds(block.id) : { callId: block.id };
  const isKept = keepsId && isItemId(own.itemId, "fc_") && ids.take(own.itemId);
  return {
    type: "function_call",
    ...(isKept && { id: own.itemId }),
    call_id: ids.callId(block.id, own.callId),
    name: toWireName(block.name),
    arguments: JSON.stringify(block.arguments),
  } as ResponseInputItem;
}

function convertResult(message: ToolResultMessage, ids: RequestIds): ResponseInputItem {
  const hasImage = message.content.some((block) => block.type === "image");
  return {
    type: "function_call_output",
    call_id: ids.answeredId(message.toolCallId),
    output: hasImage ? message.content.map(convertPart) : textOf(message),
  };
}

function textOf(message: ToolResultMessage): string {
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function convertPart(block: TextContent | ImageContent) {
  return block.type === "text"
    ? ({ type: "input_text", text: block.text } satisfies ResponseFunctionCallOutputItem)
    : ({ type: "input_image", detail: "auto", image_url: `data:${block.mimeType};base64,${block.data}` } as const);
}
