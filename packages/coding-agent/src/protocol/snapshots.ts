/**
 * Rebuilds the messages of snapshots mode from the records of deltas mode. Imports only types and the argument reader, so that a client can
 * include it.
 */
import type { AssistantMessage, AssistantMessageEvent } from "@pikit/ai";
import { PartialArguments } from "@pikit/ai/partial-arguments";
import type { DeltaUpdate } from "./stream-records.ts";

/** An update of a streamed answer, the same as in snapshots mode. */
export interface SnapshotUpdate {
  type: "message_update";
  message: AssistantMessage;
  assistantMessageEvent: AssistantMessageEvent;
}

/**
 * Rebuilds one streamed answer. Create one at each assistant `message_start`, or with the part of an answer that is known. Every result is a
 * separate message object.
 */
export class SnapshotBuilder {
  #message: AssistantMessage;
  readonly #readers = new Map<number, PartialArguments>();
  /** The number of blocks of the known part. The JSON text of a call among them is not known, so its arguments stay until it ends. */
  readonly #knownBlocks: number;

  constructor(start: AssistantMessage) {
    this.#message = start;
    this.#knownBlocks = start.content.length;
  }

  /** The message so far. */
  get message(): AssistantMessage {
    return this.#message;
  }

  /** Applies a record of deltas mode and returns the corresponding record of snapshots mode. */
  apply({ assistantMessageEvent: event, usage }: DeltaUpdate): SnapshotUpdate {
    const content = this.#message.content.slice();
    const index = event.contentIndex;
    const block = content[index];
    switch (event.type) {
      case "text_start":
        content[index] = { type: "text", text: "" };
        break;
      case "text_delta":
        if (block?.type === "text") content[index] = { ...block, text: block.text + event.delta };
        break;
      case "text_end":
        content[index] = { type: "text", text: event.content, ...pick(event, "textSignature") };
        break;
      case "thinking_start":
        content[index] = { type: "thinking", thinking: "" };
        break;
      case "thinking_delta":
        if (block?.type === "thinking") content[index] = { ...block, thinking: block.thinking + event.delta };
        break;
      case "thinking_end":
        content[index] = {
          type: "thinking",
          thinking: event.content,
          ...pick(event, "thinkingSignature"),
          ...pick(event, "redacted"),
        };
        break;
      case "toolcall_start":
        content[index] = { type: "toolCall", id: event.id ?? "", name: event.toolName ?? "", arguments: {} };
        break;
      case "toolcall_delta":
        if (block?.type === "toolCall" && index >= this.#knownBlocks) {
          content[index] = { ...block, arguments: this.#readArguments(index, event.delta) };
        }
        break;
      case "toolcall_end":
        content[index] = event.toolCall;
        break;
    }
    this.#message = { ...this.#message, content, ...(usage ? { usage } : {}) };
    return { type: "message_update", message: this.#message, assistantMessageEvent: this.#withPartial(event) };
  }

  #readArguments(index: number, delta: string): Record<string, unknown> {
    const reader = this.#readers.get(index) ?? new PartialArguments();
    this.#readers.set(index, reader);
    reader.append(delta);
    return reader.value;
  }

  #withPartial(event: DeltaUpdate["assistantMessageEvent"]): AssistantMessageEvent {
    const {
      id: _id,
      toolName: _toolName,
      textSignature: _text,
      thinkingSignature: _thinking,
      redacted: _redacted,
      ...fields
    } = event;
    return { ...fields, partial: this.#message } as AssistantMessageEvent;
  }
}

function pick<T extends object, K extends keyof T>(from: T, key: K): Partial<Pick<T, K>> {
  return from[key] === undefined ? {} : ({ [key]: from[key] } as Partial<Pick<T, K>>);
}
