import type { MessageAssembler, TextBlock, ThinkingBlock, ToolCallBlock } from "../../assembler.ts";
import { errorInStream } from "../../classify.ts";
import { AiError } from "../../errors.ts";
import type { Model } from "../../types.ts";
import { priceUsage } from "../../usage.ts";
import { endMarker, readWireEvent, unknownStopReason } from "../wire-event.ts";

/** The fields that we read. Unknown fields and unknown events are ignored. */
interface WireEvent {
  type?: string;
  index?: number;
  message?: { usage?: WireUsage | null };
  content_block?: {
    type?: string;
    text?: string;
    thinking?: string;
    signature?: string;
    data?: string;
    id?: string;
    name?: string;
    input?: unknown;
  };
  delta?: {
    type?: string;
    text?: string;
    thinking?: string;
    signature?: string;
    partial_json?: string;
    stop_reason?: string | null;
    stop_details?: { explanation?: string | null } | null;
  };
  usage?: WireUsage | null;
  error?: { type?: string; message?: string };
}

interface WireUsage {
  input_tokens?: number | null;
  output_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  /** The cache writes, by the time that the provider keeps them. */
  cache_creation?: { ephemeral_1h_input_tokens?: number | null } | null;
}

/** A block that the provider has started, with handlers for its deltas and its end. */
interface OpenBlock {
  onDelta(delta: NonNullable<WireEvent["delta"]>): void;
  onStop(): void;
}

/** Reads the events of a Messages stream and reports them to the assembler. Does no HTTP. */
export class AnthropicEventReader {
  readonly #assembler: MessageAssembler;
  readonly #model: Model;
  readonly #readName: (wireName: string) => string;
  /** By wire index. Blocks of unknown types are left out. */
  readonly #blocks = new Map<number, OpenBlock>();
  #usage: WireUsage = {};
  #oneHourWrites: number | undefined;
  #stopReason: string | undefined;
  #explanation: string | undefined;
  #hasCalls = false;

  /** @param readName - Converts a tool name on the wire to our tool name. */
  constructor(assembler: MessageAssembler, model: Model, readName: (wireName: string) => string = (name) => name) {
    this.#assembler = assembler;
    this.#model = model;
    this.#readName = readName;
  }

  /**
   * Reads one event.
   *
   * @param data - The event's JSON text.
   * @returns Whether it was the last event.
   * @throws {AiError} When the provider reports an error, or the event is not JSON.
   */
  read(data: string): boolean {
    if (data === endMarker && this.#assembler.message.content.length > 0) return this.#finish();
    const event = readWireEvent<WireEvent>(data, this.#model.provider);
    switch (event?.type) {
      case "message_start":
        this.#assembler.start();
        this.#reportUsage(event.message?.usage);
        return false;
      case "content_block_start":
        this.#startBlock(event.index ?? 0, event.content_block ?? {});
        return false;
      case "content_block_delta":
        if (event.delta) this.#blocks.get(event.index ?? 0)?.onDelta(event.delta);
        return false;
      case "content_block_stop":
        this.#blocks.get(event.index ?? 0)?.onStop();
        this.#blocks.delete(event.index ?? 0);
        return false;
      case "message_delta":
        this.#stopReason = event.delta?.stop_reason ?? this.#stopReason;
        this.#explanation = event.delta?.stop_details?.explanation ?? this.#explanation;
        this.#reportUsage(event.usage);
        return false;
      case "message_stop":
        return this.#finish();
      case "error":
        throw errorInStream({ type: event.error?.type, message: event.error?.message ?? data }, this.#model.provider);
      default:
        return false; // pings, and event types of later versions
    }
  }

  #finish(): true {
    this.#assembler.done(
      mapStopReason(this.#stopReason, { hasCalls: this.#hasCalls, explanation: this.#explanation, model: this.#model }),
    );
    return true;
  }

  #startBlock(index: number, block: NonNullable<WireEvent["content_block"]>): void {
    const open = this.#open(block);
    if (open) this.#blocks.set(index, open);
  }

  #open(block: NonNullable<WireEvent["content_block"]>): OpenBlock | undefined {
    switch (block.type) {
      case "text":
        return openText(this.#assembler.openText(), block.text ?? "");
      case "thinking":
        return openThinking(this.#assembler.openThinking(), block.thinking ?? "", block.signature ?? "");
      case "redacted_thinking":
        return openRedacted(this.#assembler.openThinking(), block.data ?? "");
      case "tool_use":
        this.#hasCalls = true;
        return openCall(this.#assembler.openToolCall({ id: block.id ?? "", name: this.#readName(block.name ?? "") }), block.input);
      default:
        return undefined;
    }
  }

  /** A later count replaces the earlier one; a count that is missing in the later report stays. */
  #reportUsage(usage: WireUsage | null | undefined): void {
    for (const [name, count] of Object.entries(usage ?? {})) {
      if (typeof count === "number") this.#usage[name as Exclude<keyof WireUsage, "cache_creation">] = count;
    }
    this.#oneHourWrites = usage?.cache_creation?.ephemeral_1h_input_tokens ?? this.#oneHourWrites;
    this.#assembler.setUsage(
      priceUsage(this.#model, {
        input: this.#usage.input_tokens,
        output: this.#usage.output_tokens,
        cacheRead: this.#usage.cache_read_input_tokens,
        cacheWrite: this.#usage.cache_creation_input_tokens,
        cacheWriteOneHour: this.#oneHourWrites,
      }),
    );
  }
}

/** Maps the wire's stop reason to ours. Throws for the stop reasons of failed answers. */
function mapStopReason(
  reason: string | undefined,
  { hasCalls, explanation, model }: { hasCalls: boolean; explanation: string | undefined; model: Model },
): "stop" | "length" | "toolUse" {
  switch (reason) {
    case undefined: // compatible servers leave it out
      return hasCalls ? "toolUse" : "stop";
    case "end_turn":
    case "stop_sequence":
    case "pause_turn":
      return "stop";
    case "max_tokens":
      return "length";
    case "tool_use":
      return "toolUse";
    case "refusal":
    case "sensitive":
      throw new AiError("refused", `${model.provider} declined to answer (${reason}): ${explanation ?? "no reason given"}`);
    case "model_context_window_exceeded":
      throw new AiError("context_overflow", `The conversation is longer than the context window of ${model.id} (${reason}).`);
    default:
      throw unknownStopReason(reason, model);
  }
}

function openText(block: TextBlock, start: string): OpenBlock {
  block.append(start);
  return { onDelta: ({ text }) => block.append(text ?? ""), onStop: () => block.end() };
}

function openThinking(block: ThinkingBlock, start: string, startOfSignature: string): OpenBlock {
  let thinkingSignature = startOfSignature;
  block.append(start);
  return {
    onDelta: ({ thinking, signature }) => {
      thinkingSignature += signature ?? "";
      block.append(thinking ?? "");
    },
    onStop: () => block.end({ thinkingSignature }),
  };
}

function openRedacted(block: ThinkingBlock, data: string): OpenBlock {
  return { onDelta: () => {}, onStop: () => block.end({ thinkingSignature: data, redacted: true }) };
}

function openCall(block: ToolCallBlock, input: unknown): OpenBlock {
  return { onDelta: ({ partial_json }) => block.append(partial_json ?? ""), onStop: () => block.end(input) };
}
