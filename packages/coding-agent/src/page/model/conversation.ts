import type { AgentMessage, AgentToolResult } from "@pikit/agent";
import type { AssistantMessage, ToolCall } from "@pikit/ai";
import type { Resync } from "../../protocol/connection.ts";
import { SnapshotBuilder } from "../../protocol/snapshots.ts";
import type { DeltaUpdate } from "../../protocol/stream-records.ts";
import type { ShownResult } from "../../render/tool-call.ts";
import type { Frame } from "../wire/frames.ts";

type ResultMessage = Extract<AgentMessage, { role: "toolResult" }>;
type PlainMessage = Exclude<AgentMessage, { role: "assistant" | "toolResult" }>;

/** An answer, complete or still streaming. */
export interface AnswerItem {
  kind: "answer";
  message: AssistantMessage;
  isStreaming: boolean;
}

/** A part of a conversation. It stays the same object while its content changes. */
export type Item =
  | AnswerItem
  | { kind: "message"; message: PlainMessage }
  /** A result whose call is not shown. */
  | { kind: "result"; message: ResultMessage }
  | { kind: "notice"; text: string; isError: boolean };

/** The progress of a tool call. */
export interface CallState {
  isRunning: boolean;
  /** The text of the tool about the call, in place of its arguments. */
  text?: string | undefined;
  /** The output so far. */
  partial?: AgentToolResult | undefined;
  result?: ShownResult;
}

/** Called when items change. */
export interface ConversationListener {
  /** All items are others. */
  onReset(items: readonly Item[]): void;
  onAdded(item: Item): void;
  onChanged(item: Item): void;
  onRemoved(item: Item): void;
  onCallChanged(state: CallState): void;
}

/** The messages of a session, from its history and its frames. */
export class Conversation {
  readonly #listener: ConversationListener;
  #items: Item[] = [];
  /** The state of each call by its object: ids may repeat in a conversation. */
  #calls = new WeakMap<ToolCall, CallState>();
  /** The latest call with each id. */
  #latest = new Map<string, CallState>();
  /** The answer that is being streamed. */
  #open: { item: AnswerItem; builder: SnapshotBuilder; calls: Map<number, CallState> } | undefined;
  /** The messages of the history that may come again as frames: the history may be newer than the frames. */
  #known = new Set<string>();
  /** Whether the frames of an answer that the history has are skipped. */
  #skipsAnswer = false;

  constructor(listener: ConversationListener) {
    this.#listener = listener;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** The state of a call, which is one block of an answer. */
  stateOf(call: ToolCall): CallState {
    const state = this.#calls.get(call) ?? { isRunning: false };
    this.#calls.set(call, state);
    return state;
  }

  /** Begins anew with the state of a `resync`; its history comes later. */
  resync({ message, running }: Pick<Resync, "message" | "running">): void {
    this.#items = [];
    this.#calls = new WeakMap();
    this.#latest = new Map();
    this.#known = new Set();
    this.#open = undefined;
    this.#skipsAnswer = false;
    this.#listener.onReset([]);
    if (message) this.#openAnswer(message);
    for (const frame of running) this.apply(frame);
  }

  /** Puts the messages of the history before the items that have come since the `resync`. */
  load(messages: readonly AgentMessage[]): void {
    const later = this.#items;
    const latest = this.#latest;
    this.#items = [];
    this.#latest = new Map();
    for (const message of messages) this.#store(message);
    this.#known = new Set(messages.map(keyOf));
    // A call that runs has its state from the frames.
    for (const [id, state] of latest) {
      const stored = this.#latest.get(id);
      if (stored && !stored.result) Object.assign(stored, state);
      else if (!stored) this.#latest.set(id, state);
    }
    for (const item of later) {
      const call = item.kind === "result" ? this.#latest.get(item.message.toolCallId) : undefined;
      // The result of a call that the history has.
      if (item.kind === "result" && call) this.#finish(call, item.message);
      else if (!this.#isKnown(item)) this.#items.push(item);
      else if (item === this.#open?.item) this.#skipAnswer();
    }
    this.#listener.onReset(this.#items);
  }

  /** Applies a frame. Frames of other kinds are ignored. */
  apply(frame: Frame): void {
    switch (frame.type) {
      case "message_start":
        if (frame.message.role === "assistant") this.#startAnswer(frame.message);
        break;
      case "message_update":
        this.#update(frame);
        break;
      case "message_end":
        this.#end(frame.message);
        break;
      case "tool_execution_start":
      case "tool_execution_update":
      case "tool_execution_end":
        this.#progress(frame);
        break;
    }
  }

  /** Shows a text between the messages. */
  addNotice(text: string, isError = false): void {
    this.#add({ kind: "notice", text, isError });
  }

  #startAnswer(message: AssistantMessage): void {
    this.#skipsAnswer = this.#known.has(keyOf(message));
    if (!this.#skipsAnswer) this.#openAnswer(message);
  }

  #openAnswer(message: AssistantMessage): void {
    const item: AnswerItem = { kind: "answer", message, isStreaming: true };
    this.#open = { item, builder: new SnapshotBuilder(message), calls: new Map() };
    this.#registerCalls(message);
    this.#add(item);
  }

  #update(frame: DeltaUpdate): void {
    if (this.#skipsAnswer || !this.#open) return;
    const { item, builder } = this.#open;
    item.message = builder.apply(frame).message;
    if (frame.assistantMessageEvent.type.startsWith("toolcall_")) this.#registerCalls(item.message);
    this.#listener.onChanged(item);
  }

  #end(message: AgentMessage): void {
    const isKnown = this.#known.delete(keyOf(message));
    if (message.role === "assistant") this.#endAnswer(message, isKnown);
    else if (message.role === "toolResult") this.#addResult(message, isKnown);
    else if (!isKnown) this.#store(message);
  }

  #endAnswer(message: AssistantMessage, isKnown: boolean): void {
    if (isKnown) this.#skipAnswer();
    else if (!this.#open) this.#store(message);
    else {
      const { item } = this.#open;
      item.message = message;
      item.isStreaming = false;
      this.#registerCalls(message);
      this.#open = undefined;
      this.#listener.onChanged(item);
    }
    this.#skipsAnswer = false;
  }

  /** Removes the open answer: the history has it. */
  #skipAnswer(): void {
    const item = this.#open?.item;
    this.#open = undefined;
    this.#skipsAnswer = true;
    const index = item ? this.#items.lastIndexOf(item) : -1;
    if (item && index !== -1) {
      this.#items.splice(index, 1);
      this.#listener.onRemoved(item);
    }
  }

  /** Adds a complete message. */
  #store(message: AgentMessage): void {
    if (message.role === "toolResult") this.#addResult(message, false);
    else if (message.role !== "assistant") this.#add({ kind: "message", message });
    else {
      this.#registerCalls(message);
      this.#add({ kind: "answer", message, isStreaming: false });
    }
  }

  #addResult(message: ResultMessage, isKnown: boolean): void {
    const state = this.#latest.get(message.toolCallId);
    if (state) this.#finish(state, message);
    else if (!isKnown) this.#add({ kind: "result", message });
  }

  #finish(state: CallState, { content, isError, details, display }: ShownResult): void {
    state.isRunning = false;
    state.partial = undefined;
    state.text = display?.call ?? state.text;
    state.result = { content, isError, details, display };
    this.#listener.onCallChanged(state);
  }

  #progress(frame: Extract<Frame, { type: `tool_execution_${string}` }>): void {
    // After a resync, the call itself comes with the history.
    const state = this.#latest.get(frame.toolCallId) ?? { isRunning: true };
    this.#latest.set(frame.toolCallId, state);
    if (state.result) return;
    if (frame.type === "tool_execution_end") {
      this.#finish(state, { ...frame.result, isError: frame.isError });
      return;
    }
    state.isRunning = true;
    if (frame.type === "tool_execution_update") state.partial = frame.partialResult;
    else state.text = frame.display?.call;
    this.#listener.onCallChanged(state);
  }

  /** Gives each call of an answer its state. While the answer streams, each update has other objects for the same calls. */
  #registerCalls(message: AssistantMessage): void {
    const { calls } = this.#open ?? {};
    // Files of other programs may have another shape.
    if (!Array.isArray(message.content)) return;
    for (const [index, block] of message.content.entries()) {
      if (block?.type !== "toolCall") continue;
      const state = calls?.get(index) ?? this.stateOf(block);
      calls?.set(index, state);
      this.#calls.set(block, state);
      if (block.id !== "") this.#latest.set(block.id, state);
    }
  }

  #isKnown(item: Item): boolean {
    if (item.kind === "notice") return false;
    return this.#known.has(keyOf(item.message));
  }

  #add(item: Item): void {
    this.#items.push(item);
    this.#listener.onAdded(item);
  }
}

/** A key that the same message has in the history and in a frame. An answer has another content while it streams. */
function keyOf(message: AgentMessage): string {
  const { role, timestamp } = message;
  const more = role === "toolResult" ? message.toolCallId : role === "user" ? JSON.stringify(message.content).slice(0, 200) : "";
  return `${role} ${timestamp} ${more}`;
}
