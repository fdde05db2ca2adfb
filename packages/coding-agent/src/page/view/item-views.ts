import type { AssistantMessage } from "@pikit/ai";
import { escapeHtml } from "../../render/escape.ts";
import { describeMessage, renderAnswerEnd } from "../../render/message.ts";
import { renderTime } from "../../render/parts.ts";
import { renderResult } from "../../render/tool-call.ts";
import type { AnswerItem, CallState, Conversation, Item } from "../model/conversation.ts";
import { type BlockView, TextView, ThinkingView } from "./block-views.ts";
import { CallView } from "./call-view.ts";
import { element, setHtml } from "./dom.ts";

/** An item of the conversation. Its element stays while its content changes. */
export interface ItemView {
  readonly root: HTMLElement;
  update(): void;
}

type Block = AssistantMessage["content"][number];

/** Creates the view of an item. @param calls - Filled with the views of calls by their states. */
export function createItemView(item: Item, conversation: Conversation, calls: WeakMap<CallState, CallView>): ItemView {
  return item.kind === "answer" ? new AnswerView(item, conversation, calls) : new StaticView(item);
}

/** An item that does not change. */
class StaticView implements ItemView {
  readonly root: HTMLElement;

  constructor(item: Exclude<Item, AnswerItem>) {
    this.root = createStatic(item);
  }

  update(): void {}
}

function createStatic(item: Exclude<Item, AnswerItem>): HTMLElement {
  if (item.kind === "notice") return element("p", { class: item.isError ? "notice failed" : "notice" }, item.text);
  const { message } = item;
  if (message.role === "toolResult") {
    const article = element("article", { class: message.isError ? "error" : "tool" });
    setHtml(article, `<h3>Result of ${escapeHtml(message.toolName)}</h3>${renderResult(message, message.toolName)}`);
    return article;
  }
  const described = describeMessage(message);
  const article = element("article", { class: described?.kind ?? "other", hidden: described === undefined });
  if (described) {
    const heading = `<h2>${escapeHtml(described.heading)} ${renderTime(message.timestamp, formatLocal)}</h2>`;
    setHtml(article, heading + described.body);
  }
  return article;
}

/** An answer: one element for each of its blocks, of which only those that have changed are rendered again. */
class AnswerView implements ItemView {
  readonly root: HTMLElement;
  readonly #item: AnswerItem;
  readonly #conversation: Conversation;
  readonly #calls: WeakMap<CallState, CallView>;
  readonly #blocks = element("div");
  readonly #end = element("div");
  readonly #shown: { block: Block | undefined; isComplete: boolean; view: BlockView<Block> }[] = [];

  constructor(item: AnswerItem, conversation: Conversation, calls: WeakMap<CallState, CallView>) {
    this.#item = item;
    this.#conversation = conversation;
    this.#calls = calls;
    const heading = element("h2");
    setHtml(heading, `Assistant ${renderTime(item.message.timestamp, formatLocal)}`);
    this.root = element("article", { class: "assistant" }, heading, this.#blocks, this.#end);
    this.update();
  }

  update(): void {
    const { message, isStreaming } = this.#item;
    for (const [index, block] of message.content.entries()) {
      if (block) this.#updateBlock(index, block, !isStreaming || index < message.content.length - 1);
    }
    this.root.classList.toggle("streaming", isStreaming);
    this.root.setAttribute("aria-busy", String(isStreaming));
    if (!isStreaming) setHtml(this.#end, renderAnswerEnd(message));
  }

  #updateBlock(index: number, block: Block, isComplete: boolean): void {
    let shown = this.#shown[index];
    if (!shown) {
      shown = { block: undefined, isComplete: false, view: createBlockView(block) };
      this.#shown[index] = shown;
      this.#blocks.append(shown.view.root);
    }
    if (shown.block === block && shown.isComplete === isComplete) return;
    shown.block = block;
    shown.isComplete = isComplete;
    shown.view.update(block, isComplete);
    if (block.type === "toolCall" && shown.view instanceof CallView) {
      const state = this.#conversation.stateOf(block);
      this.#calls.set(state, shown.view);
      if (isComplete) shown.view.show(state);
    }
  }
}

/** A block never changes its type, so the view gets blocks of its own type. */
function createBlockView(block: Block): BlockView<Block> {
  if (block.type === "toolCall") return new CallView() as BlockView<Block>;
  return (block.type === "thinking" ? new ThinkingView() : new TextView()) as BlockView<Block>;
}

const localFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A time in the time zone and the language of the reader. */
export function formatLocal(date: Date): string {
  return localFormat.format(date);
}
