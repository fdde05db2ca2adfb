import { HistoryPreparation, type HistoryRules, prepareHistory } from "../history.ts";
import { type MessageSize, measureMessages } from "../output-limit.ts";
import type { Message, Model } from "../types.ts";
import { JsonItems } from "./json-items.ts";

/** The place of a part in its conversation. */
export interface HistoryPart {
  /** Whether nothing was sent before it. */
  isStart: boolean;
  isEnd: boolean;
  /** See `HistoryWire.isCrowded`. */
  isCrowded: boolean;
}

/** Converts the prepared messages of one conversation to the items of a wire, part after part. */
export interface HistoryConverter<Item> {
  /** @returns New items, which the caller may change. */
  convert(messages: readonly Message[], part: HistoryPart): Item[];
  /** A converter that continues after the parts so far, and leaves this one as it is. */
  fork(): HistoryConverter<Item>;
}

/** The conversion of conversations for one wire and one model. */
export interface HistoryWire<Item> {
  model: Model;
  rules: HistoryRules;
  /** Everything but the messages that decides about the items, as a text. */
  key: string;
  createConverter(): HistoryConverter<Item>;
  /** Whether an item begins an answer of the model, so that it is never merged with the items before it. */
  beginsAnswer(item: Item): boolean;
  /** Whether a request has so many images that other rules apply to all of them. Default: no. */
  isCrowded?(images: number): boolean;
}

/** A `HistoryWire.key` from what every wire's conversion depends on, and from what a wire adds. */
export function historyKey({ provider, api, id, input, compat }: Model, ...more: unknown[]): string {
  return JSON.stringify([provider, api, id, input, compat, ...more]);
}

/** A conversation as items of a wire. */
export interface ConvertedHistory<Item> {
  /** The JSON texts of the items before `items`, each followed by a comma, in pieces of UTF-8. */
  kept: readonly Uint8Array[];
  /** The last items. There is at least one if `kept` is not empty. The caller may change them. */
  items: Item[];
  hasToolResults: boolean;
  /** The size of the messages, as they were given. */
  size: MessageSize;
}

/** The number of answers that are tried as the beginning of the last part. */
const mostTries = 8;

/** Converts a whole conversation, and keeps nothing. */
export function convertHistory<Item>(messages: readonly Message[], wire: HistoryWire<Item>): ConvertedHistory<Item> {
  const prepared = prepareHistory(messages, wire.model, wire.rules);
  const isCrowded = wire.isCrowded?.(countImages(prepared)) ?? false;
  return {
    kept: [],
    items: wire.createConverter().convert(prepared, { isStart: true, isEnd: true, isCrowded }),
    hasToolResults: prepared.some(isToolResult),
    size: measureMessages(messages),
  };
}

/**
 * The items of a conversation that grows. Everything before the last answer stays the same from call to call, so its JSON text is kept, and
 * a call converts only what is new. The result is that of `convertHistory`.
 */
export class KeptHistory<Item> {
  readonly #wire: HistoryWire<Item>;
  readonly #preparation: HistoryPreparation;
  readonly #converter: HistoryConverter<Item>;
  readonly #items = new JsonItems();
  /** The number of messages that are kept as items, and their parts. */
  #count = 0;
  readonly #parts: unknown[] = [];
  #size: MessageSize = { bytes: 0, images: 0 };
  #images = 0;
  #hasToolResults = false;
  #isCrowded = false;

  constructor(wire: HistoryWire<Item>) {
    this.#wire = wire;
    this.#preparation = new HistoryPreparation(wire.model, wire.rules);
    this.#converter = wire.createConverter();
  }

  /** The number of messages that are kept. */
  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#items.byteLength;
  }

  /** Whether a conversation with this wire and these messages continues what is kept. */
  fits({ key }: HistoryWire<Item>, messages: readonly Message[]): boolean {
    return key === this.#wire.key && messages.length >= this.#count && this.#isBeginningOf(messages);
  }

  /**
   * Converts a conversation that continues what is kept.
   *
   * @returns Undefined if what is kept does not suit the new messages; this object is then of no more use.
   */
  extend(messages: readonly Message[]): ConvertedHistory<Item> | undefined {
    const start = this.#findLastPart(messages);
    const finished = messages.slice(this.#count, start);
    const rest = messages.slice(start);
    const prepared = this.#preparation.add(finished);
    const preparedRest = this.#preparation.peek(rest);
    if (!prepared || !preparedRest) return undefined;
    const images = this.#images + countImages(prepared);
    const isCrowded = this.#wire.isCrowded?.(images + countImages(preparedRest)) ?? false;
    if (isCrowded !== this.#isCrowded && this.#count > 0) return undefined;
    this.#isCrowded = isCrowded;
    const finishedItems = this.#converter.convert(prepared, { isStart: this.byteLength === 0, isEnd: false, isCrowded });
    if (!this.#continues(finishedItems)) return undefined;
    this.#items.add(finishedItems);
    const items = this.#converter.fork().convert(preparedRest, { isStart: this.byteLength === 0, isEnd: true, isCrowded });
    if (items.length === 0 ? this.byteLength > 0 : !this.#continues(items)) return undefined;
    this.#images = images;
    this.#hasToolResults ||= prepared.some(isToolResult);
    this.#size = sumOf(this.#size, measureMessages(finished));
    this.#count = start;
    for (const message of finished) pushParts(this.#parts, message);
    return {
      kept: this.#items.pieces,
      items,
      hasToolResults: this.#hasToolResults || preparedRest.some(isToolResult),
      size: sumOf(this.#size, measureMessages(rest)),
    };
  }

  /** Whether items can follow those that are kept: they must begin with an answer, so that nothing is merged with what is kept. */
  #continues([first]: readonly Item[]): boolean {
    return first === undefined || this.byteLength === 0 || this.#wire.beginsAnswer(first);
  }

  /** The index from which messages are converted anew in each call: that of an answer, because no item reaches across its beginning. */
  #findLastPart(messages: readonly Message[]): number {
    let tries = 0;
    for (let index = messages.length - 1; index > this.#count && tries < mostTries; index -= 1) {
      const message = messages[index];
      if (message?.role !== "assistant") continue;
      tries += 1;
      const prepared = this.#preparation.peek([message]);
      if (prepared?.[0]?.role !== "assistant") continue;
      const part = { isStart: false, isEnd: false, isCrowded: this.#isCrowded };
      const [item] = this.#converter.fork().convert(prepared, part);
      if (item === undefined || !this.#wire.beginsAnswer(item)) continue;
      // Two answers in a row may be merged.
      const before = this.#preparation.peek(messages.slice(this.#count, index));
      if (before?.at(-1)?.role !== "assistant") return index;
    }
    return this.#count;
  }

  #isBeginningOf(messages: readonly Message[]): boolean {
    let at = 0;
    const parts = this.#parts;
    for (let index = 0; index < this.#count; index += 1) {
      const message = messages[index] as Message;
      const { content } = message;
      if (parts[at] !== message || parts[at + 1] !== content) return false;
      at += 2;
      if (typeof content === "string") continue;
      for (const block of content) {
        if (parts[at] !== block || parts[at + 1] !== dataOf(block)) return false;
        at += 2;
      }
    }
    return at === parts.length;
  }
}

/** The parts of a message that are compared by identity. With them, also a program that changes texts in place sends what it has written. */
function pushParts(parts: unknown[], message: Message): void {
  const { content } = message;
  parts.push(message, content);
  if (typeof content !== "string") for (const block of content) parts.push(block, dataOf(block));
}

function dataOf(block: Exclude<Message["content"], string>[number]): unknown {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "image":
      return block.data;
    case "toolCall":
      return block.arguments;
  }
}

function countImages(messages: readonly Message[]): number {
  let images = 0;
  for (const { content } of messages) {
    if (typeof content !== "string") for (const { type } of content) if (type === "image") images += 1;
  }
  return images;
}

function isToolResult({ role }: Message): boolean {
  return role === "toolResult";
}

function sumOf(first: MessageSize, second: MessageSize): MessageSize {
  return { bytes: first.bytes + second.bytes, images: first.images + second.images };
}
