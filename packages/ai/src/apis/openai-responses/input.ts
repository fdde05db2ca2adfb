import type {
  ResponseFunctionCallOutputItem,
  ResponseInputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import type { HistoryConverter } from "../../history/kept-history.ts";
import type { AssistantMessage, ImageContent, Message, Model, TextContent, ToolCall, ToolResultMessage } from "../../types.ts";
import { toWireName } from "../tool-names.ts";
import { isItemId, splitCallIds, toSafeId } from "./ids.ts";
import { readMessageSignature, readReasoning } from "./signatures.ts";

/** Converts a prepared history to the items of a request. */
export class InputConverter implements HistoryConverter<ResponseInputItem> {
  readonly #model: Model;
  readonly #ids: RequestIds;

  constructor(model: Model, ids = new RequestIds()) {
    this.#model = model;
    this.#ids = ids;
  }

  convert(messages: readonly Message[]): ResponseInputItem[] {
    return messages.flatMap((message): ResponseInputItem[] => {
      if (message.role === "assistant") return convertAnswer(message, this.#model, this.#ids);
      if (message.role === "toolResult") return [convertResult(message, this.#ids)];
      const content = typeof message.content === "string" ? [{ type: "text" as const, text: message.content }] : message.content;
      return [{ role: "user", content: content.map(convertPart) }];
    });
  }

  fork(): InputConverter {
    return new InputConverter(this.#model, this.#ids.fork());
  }
}

/** The ids of one request: keeps item ids unique, and gives each result the id of its call. */
class RequestIds {
  /** The ids before those of this object. */
  readonly #before: RequestIds | undefined;
  readonly #used = new Set<string>();
  /** The sent call ids by `ToolCall.id`, in order: some servers repeat an id in every answer, or within one. */
  readonly #callIds = new Map<string, string[]>();
  /** How often each call id occurred, so that the suffix for a repeated one is found in constant time. */
  readonly #counts = new Map<string, number>();
  #messageCount: number;

  constructor(before?: RequestIds) {
    this.#before = before;
    this.#messageCount = before ? before.#messageCount : 0;
  }

  /** Continues after the ids so far, and leaves this object as it is. All calls so far must have their results. */
  fork(): RequestIds {
    return new RequestIds(this);
  }

  /** A message must have an id. If its own is missing or already used, it gets one that is the same in every request. */
  messageId(own: string | undefined): string {
    this.#messageCount += 1;
    const id = own === undefined ? undefined : toSafeId(own);
    return id !== undefined && this.take(id) ? id : `msg_pikit_${this.#messageCount}`;
  }

  /** Reserves an id. Returns false if it was already used. */
  take(id: string): boolean {
    const isFree = !this.#isUsed(id);
    if (isFree) this.#used.add(id);
    return isFree;
  }

  /** Reserves a unique id for a call. */
  callId(toolCallId: string, own: string): string {
    let count = this.#countOf(own);
    let callId = toSafeId(count === 1 ? own : `${own}#${count}`);
    while (!this.take(callId)) {
      count += 1;
      callId = toSafeId(`${own}#${count}`);
    }
    this.#counts.set(own, count);
    this.#callIds.set(toolCallId, [...(this.#callIds.get(toolCallId) ?? []), callId]);
    return callId;
  }

  /** The id that was sent for the call of the next result with this `toolCallId`; results are in the order of their calls. */
  answeredId(toolCallId: string): string {
    return this.#callIds.get(toolCallId)?.shift() ?? toSafeId(toolCallId);
  }

  #countOf(own: string): number {
    return this.#counts.get(own) ?? (this.#before === undefined ? 1 : this.#before.#countOf(own));
  }

  #isUsed(id: string): boolean {
    return this.#used.has(id) || (this.#before ? this.#before.#isUsed(id) : false);
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
