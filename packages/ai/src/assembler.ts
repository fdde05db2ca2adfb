import { answerLimits, blockLength } from "./answer-limits.ts";
import type { AssistantMessageEventStream } from "./assistant-stream.ts";
import { AiError } from "./errors.ts";
import { isTooDeep, maxNesting } from "./nesting.ts";
import { isWindowFull } from "./overflow.ts";
import { PartialArguments } from "./partial-arguments.ts";
import type { AssistantMessage, Model, StopReason, TextContent, ThinkingContent, ToolCall, Usage } from "./types.ts";
import { emptyUsage } from "./usage.ts";

/** An open text block. */
export interface TextBlock {
  append(delta: string): void;
  end(textSignature?: string): void;
}

/** An open thinking block. */
export interface ThinkingBlock {
  append(delta: string): void;
  /** `thinking` replaces the text of the deltas; for providers that send a different complete text at the end. */
  end(signature?: { thinkingSignature?: string | undefined; redacted?: boolean; thinking?: string | undefined }): void;
  /** Sets the signature of a block that has already ended: some providers send it with the end of the answer. */
  sign(thinkingSignature: string): void;
}

/** An open tool call. */
export interface ToolCallBlock {
  append(argumentsDelta: string): void;
  /**
   * @param fallbackArguments - Arguments that arrived as a value, not as text. Used when no text was appended.
   * @param thoughtSignature - A signature that came after the start of the call.
   */
  end(fallbackArguments?: unknown, thoughtSignature?: string): void;
}

/**
 * Builds an assistant message. Adapters open blocks, append to them and end them, in any interleaving; only the assembler decides the
 * order of the events, so every stream follows the grammar of `AssistantMessageEvent`.
 *
 * The cost of a delta does not depend on the length of the answer. Opening, appending to and ending a block throws an `AiError` when the
 * answer exceeds its maximum length; adapters must not catch it, so that they stop reading.
 */
export class MessageAssembler {
  /** The message being built; each event has this same object as `partial`. */
  readonly message: AssistantMessage;
  readonly #stream: AssistantMessageEventStream;
  readonly #model: Model;
  /** `end` of each block that is still open, in the order of opening. */
  readonly #open = new Set<{ end(): void }>();
  readonly #maxLength: number;
  #length = 0;
  #started = false;

  /** @param maxLength - Maximum length in characters. Default: `answerLimits.answerLength`. */
  constructor(model: Model, stream: AssistantMessageEventStream, maxLength: number = answerLimits.answerLength) {
    this.#stream = stream;
    this.#model = model;
    this.#maxLength = maxLength;
    this.message = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: emptyUsage(),
      stopReason: "stop",
      timestamp: Date.now(),
    };
  }

  /** Whether the answer has ended, with or without success; later calls are ignored. */
  get isEnded(): boolean {
    return this.#stream.isSettled;
  }

  /** Emits the `start` event, once. Opening a block does so too. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#stream.push({ type: "start", partial: this.message });
  }

  /** Sets the token counts; a later call replaces the earlier counts. */
  setUsage(usage: Usage): void {
    if (!this.isEnded) this.message.usage = usage;
  }

  openText(): TextBlock {
    const block: TextContent = { type: "text", text: "" };
    const contentIndex = this.#add(block);
    const partial = this.message;
    this.#stream.push({ type: "text_start", contentIndex, partial });
    const open: TextBlock = {
      append: (delta) => {
        if (delta === "" || !this.#isOpen(open)) return;
        this.#grow(delta.length);
        block.text += delta;
        this.#stream.push({ type: "text_delta", contentIndex, delta, partial });
      },
      end: (textSignature) => {
        if (!this.#close(open)) return;
        this.#grow(textSignature?.length ?? 0);
        if (textSignature) block.textSignature = textSignature;
        this.#stream.push({ type: "text_end", contentIndex, content: block.text, partial });
      },
    };
    this.#open.add(open);
    return open;
  }

  openThinking(): ThinkingBlock {
    const block: ThinkingContent = { type: "thinking", thinking: "" };
    const contentIndex = this.#add(block);
    const partial = this.message;
    this.#stream.push({ type: "thinking_start", contentIndex, partial });
    const open: ThinkingBlock = {
      append: (delta) => {
        if (delta === "" || !this.#isOpen(open)) return;
        this.#grow(delta.length);
        block.thinking += delta;
        this.#stream.push({ type: "thinking_delta", contentIndex, delta, partial });
      },
      end: (signature = {}) => {
        if (!this.#close(open)) return;
        this.#grow(signature.thinkingSignature?.length ?? 0);
        if (signature.thinkingSignature) block.thinkingSignature = signature.thinkingSignature;
        if (signature.redacted) block.redacted = true;
        if (signature.thinking !== undefined) block.thinking = signature.thinking;
        this.#stream.push({ type: "thinking_end", contentIndex, content: block.thinking, partial });
      },
      sign: (thinkingSignature) => {
        if (!this.isEnded) block.thinkingSignature = thinkingSignature;
      },
    };
    this.#open.add(open);
    return open;
  }

  openToolCall({ id, name, thoughtSignature }: Pick<ToolCall, "id" | "name" | "thoughtSignature">): ToolCallBlock {
    const block: ToolCall = { type: "toolCall", id, name, arguments: {}, ...(thoughtSignature && { thoughtSignature }) };
    const contentIndex = this.#add(block);
    const partial = this.message;
    const reader = new PartialArguments();
    const pieces: string[] = [];
    this.#stream.push({ type: "toolcall_start", contentIndex, partial });
    const open: ToolCallBlock = {
      append: (delta) => {
        if (delta === "" || !this.#isOpen(open)) return;
        this.#grow(delta.length);
        pieces.push(delta);
        reader.append(delta);
        block.arguments = reader.value;
        this.#stream.push({ type: "toolcall_delta", contentIndex, delta, partial });
      },
      end: (fallbackArguments, lateSignature) => {
        if (!this.#close(open)) return;
        this.#grow(lateSignature?.length ?? 0);
        if (lateSignature) block.thoughtSignature = lateSignature;
        const final = parseArguments(pieces.join(""), fallbackArguments);
        block.arguments = final.value ?? block.arguments;
        if (final.error !== undefined) block.argumentsError = final.error;
        this.#stream.push({ type: "toolcall_end", contentIndex, toolCall: block, partial });
      },
    };
    this.#open.add(open);
    return open;
  }

  /**
   * Ends the answer with success. Blocks that are still open end too, in the order of opening. An answer without content that ends with
   * `length` fails with `context_overflow` if the prompt fills the context window.
   */
  done(reason: Extract<StopReason, "stop" | "length" | "toolUse">): void {
    if (this.isEnded) return;
    if (reason === "length" && this.message.content.length === 0 && isWindowFull(this.#model, this.message.usage)) {
      this.fail(
        new AiError("context_overflow", `The conversation fills the context window of ${this.#model.id}: the answer is empty.`),
      );
      return;
    }
    this.start();
    for (const block of [...this.#open]) block.end();
    this.message.stopReason = reason;
    this.#stream.push({ type: "done", reason, message: this.message });
    this.#stream.end(this.message);
  }

  /** Ends the answer with an error and keeps the content so far. */
  fail(error: AiError): void {
    if (this.isEnded) return;
    this.#open.clear();
    const reason = error.code === "aborted" ? "aborted" : "error";
    this.message.stopReason = reason;
    this.message.errorMessage = error.message;
    this.#stream.failure = error;
    this.#stream.push({ type: "error", reason, error: this.message });
    this.#stream.end(this.message);
  }

  #add(block: TextContent | ThinkingContent | ToolCall): number {
    this.start();
    if (this.isEnded) return this.message.content.length;
    this.#grow(blockLength);
    return this.message.content.push(block) - 1;
  }

  /** @throws {AiError} When the answer exceeds its maximum length. */
  #grow(length: number): void {
    this.#length += length;
    if (this.#length <= this.#maxLength) return;
    const message = `The answer of ${this.#model.provider} has more than ${this.#maxLength} characters; it was cut there.`;
    throw new AiError("bad_response", message, { retryable: false });
  }

  #isOpen(block: { end(): void }): boolean {
    return this.#open.has(block) && !this.isEnded;
  }

  #close(block: { end(): void }): boolean {
    return this.#open.delete(block) && !this.isEnded;
  }
}

/** Parses the final arguments strictly: broken JSON is an error, so that a tool never runs with half of its arguments. */
function parseArguments(text: string, fallback: unknown): { value?: Record<string, unknown>; error?: string } {
  let value: unknown = fallback;
  if (text.trim() !== "") {
    try {
      value = JSON.parse(text);
    } catch (error) {
      return { error: `The arguments are not valid JSON (${(error as Error).message}). Send the call again with a JSON object.` };
    }
  }
  if (value === undefined || value === null) return { value: {} };
  if (isTooDeep(value)) {
    return {
      value: {},
      error: `The arguments are nested more than ${maxNesting} levels deep. Send the call again with flatter ones.`,
    };
  }
  if (typeof value !== "object" || Array.isArray(value)) {
    return { value: {}, error: `The arguments must be a JSON object, but are ${describe(value)}. Send the call again.` };
  }
  return { value: value as Record<string, unknown> };
}

function describe(value: unknown): string {
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
