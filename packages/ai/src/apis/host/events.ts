import { answerLimits } from "../../answer-limits.ts";
import type { MessageAssembler, TextBlock, ThinkingBlock, ToolCallBlock } from "../../assembler.ts";
import { toAiError } from "../../classify.ts";
import { AiError } from "../../errors.ts";
import { isOverflowText } from "../../overflow.ts";
import { cleanText } from "../../provider-text.ts";
import type { AssistantMessage, Model } from "../../types.ts";
import { readUsage } from "./usage.ts";

type Fields = Record<string, unknown>;

/** A block that the host has started and not ended. */
type OpenBlock =
  | { kind: "text"; block: TextBlock }
  | { kind: "thinking"; block: ThinkingBlock }
  | { kind: "toolcall"; block: ToolCallBlock; id: string; name: string };

/** Characters that count for each frame, besides its texts. */
const frameLength = 64;

const stopReasons: ReadonlySet<unknown> = new Set(["stop", "length", "toolUse"]);
const frameNames = "host_model_event, host_model_result or host_model_error";

/**
 * Reads the frames of a host about one call and reports them to the assembler. A frame that is out of order or has the wrong shape throws, and the
 * message says which one and what was expected.
 */
export class HostFrameReader {
  readonly #assembler: MessageAssembler;
  readonly #model: Model;
  readonly #maxLength: number;
  /** By `contentIndex`. */
  readonly #open = new Map<number, OpenBlock>();
  #blockCount = 0;
  #length = 0;
  #hasCalls = false;
  #hasEnded = false;

  /** @param maxLength - Maximum characters of all frames. Default: `answerLimits.streamBytes`. */
  constructor(assembler: MessageAssembler, model: Model, maxLength: number = answerLimits.streamBytes) {
    this.#assembler = assembler;
    this.#model = model;
    this.#maxLength = maxLength;
  }

  /** Whether the host has sent a result or an error, right or wrong. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Reads one frame.
   *
   * @returns Whether it was the last one.
   * @throws {AiError} The failure that the host reports; `bad_response`, not retryable, for a wrong frame.
   */
  read(frame: unknown): boolean {
    const fields = asFields(frame);
    const type = fields?.type;
    if (fields && type === "host_model_event") {
      this.#readEventFrame(fields);
      return false;
    }
    this.#hasEnded = true;
    if (fields && type === "host_model_result") {
      this.#readResult(fields);
      return true;
    }
    if (fields && type === "host_model_error") throw this.#toFailure(fields);
    throw this.#wrong(`sent a frame of the type ${show(type)}; expected ${frameNames}`);
  }

  #readEventFrame({ event, usage }: Fields): void {
    this.#assembler.start();
    this.#count(frameLength);
    if (usage !== undefined && usage !== null) this.#setUsage(usage, "host_model_event");
    if (event === undefined || event === null) return;
    const fields = asFields(event);
    if (!fields) throw this.#wrong('sent a wrong host_model_event: Field "event" must be an object');
    this.#readEvent(fields, fields.contentIndex as number);
  }

  #readEvent(event: Fields, index: number): void {
    switch (event.type) {
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta":
        this.#readDelta(event, index);
        break;
      case "text_start":
        this.#begin(index, event.type);
        this.#open.set(index, { kind: "text", block: this.#assembler.openText() });
        break;
      case "thinking_start":
        this.#begin(index, event.type);
        this.#open.set(index, { kind: "thinking", block: this.#assembler.openThinking() });
        break;
      case "toolcall_start":
        this.#begin(index, event.type);
        this.#beginCall(event, index);
        break;
      case "text_end":
      case "thinking_end":
      case "toolcall_end":
        this.#end(event, index);
        break;
      default:
        throw this.#wrong(`sent an event of the type ${show(event.type)}, which is no step of the stream mode "deltas"`);
    }
  }

  #readDelta({ type, delta }: Fields, index: number): void {
    const open = this.#find(index, type as string);
    if (typeof delta !== "string") throw this.#wrong(`sent a wrong ${type}: Field "delta" must be a string`);
    this.#count(delta.length);
    open.block.append(delta);
  }

  #begin(index: number, type: string): void {
    if (index !== this.#blockCount) {
      throw this.#wrong(`sent ${type} with contentIndex ${show(index)}; the next block has the index ${this.#blockCount}`);
    }
    this.#blockCount += 1;
  }

  #beginCall(event: Fields, index: number): void {
    const id = this.#text(event, "id", "toolcall_start");
    const name = this.#text(event, "toolName", "toolcall_start");
    this.#hasCalls = true;
    this.#open.set(index, { kind: "toolcall", block: this.#assembler.openToolCall({ id, name }), id, name });
  }

  #end(event: Fields, index: number): void {
    const open = this.#find(index, event.type as string);
    this.#open.delete(index);
    if (open.kind === "toolcall") this.#endCall(open, event);
    else this.#endText(open, event, this.#assembler.message.content[index]);
  }

  /** @param built - The block with the text of its deltas. */
  #endText(
    { kind, block }: Extract<OpenBlock, { kind: "text" | "thinking" }>,
    event: Fields,
    built: AssistantMessage["content"][number] | undefined,
  ): void {
    const where = `${kind}_end`;
    const content = this.#optionalText(event, "content", where);
    const text = built?.type === "text" ? built.text : built?.type === "thinking" ? built.thinking : "";
    if (content !== undefined && text === "") {
      this.#count(content.length);
      block.append(content);
    } else if (kind === "text" && content !== undefined && content !== text) {
      throw this.#wrong("sent a text_end whose content differs from the deltas of its block; some of them may be lost");
    }
    if (kind === "text") block.end(this.#optionalText(event, "textSignature", where));
    // Some providers send another text at the end of the thinking.
    else block.end({ ...this.#signatureOf(event, where), thinking: content });
  }

  #signatureOf(fields: Fields, where: string): Parameters<ThinkingBlock["end"]>[0] {
    const redacted = this.#optionalFlag(fields, "redacted", where);
    return {
      thinkingSignature: this.#optionalText(fields, "thinkingSignature", where),
      ...(redacted !== undefined && { redacted }),
    };
  }

  #endCall({ block, id, name }: Extract<OpenBlock, { kind: "toolcall" }>, { toolCall }: Fields): void {
    if (toolCall === undefined || toolCall === null) {
      block.end();
      return;
    }
    const call = asFields(toolCall);
    if (!call) throw this.#wrong('sent a wrong toolcall_end: Field "toolCall" must be an object');
    if (call.id !== id || call.name !== name) {
      throw this.#wrong(
        `sent a toolcall_end for ${show(call.name)} (${show(call.id)}), but its start named ${show(name)} (${show(id)})`,
      );
    }
    const thoughtSignature = this.#optionalText(call, "thoughtSignature", "toolcall_end");
    block.end(call.arguments, thoughtSignature);
  }

  #readResult(fields: Fields): void {
    const { stopReason, usage, content } = fields;
    if (!stopReasons.has(stopReason)) {
      throw this.#wrong(`sent a host_model_result with the stopReason ${show(stopReason)}; expected "stop", "length" or "toolUse"`);
    }
    const [unended] = this.#open;
    if (unended) throw this.#wrong(`sent a host_model_result before the end of block ${unended[0]} (${unended[1].kind})`);
    if (usage !== undefined && usage !== null) this.#setUsage(usage, "host_model_result");
    if (content !== undefined && content !== null) this.#readContent(content);
    if (stopReason === "toolUse" && !this.#hasCalls) {
      throw this.#wrong('sent a host_model_result with the stopReason "toolUse", but the answer has no tool call');
    }
    const reason = stopReason === "stop" && this.#hasCalls ? "toolUse" : (stopReason as "stop" | "length" | "toolUse");
    this.#assembler.done(reason);
  }

  #readContent(content: unknown): void {
    if (!Array.isArray(content)) throw this.#wrong('sent a wrong host_model_result: Field "content" must be an array');
    if (this.#blockCount > 0) {
      throw this.#wrong("sent a host_model_result with content after events; send the content in one of the two ways");
    }
    this.#assembler.start();
    for (const [index, block] of content.entries()) this.#readBlock(asFields(block) ?? {}, `content.${index}`);
  }

  #readBlock(block: Fields, place: string): void {
    if (block.type === "text") {
      const open = this.#assembler.openText();
      open.append(this.#anyText(block, "text", place));
      open.end(this.#optionalText(block, "textSignature", place));
    } else if (block.type === "thinking") {
      const open = this.#assembler.openThinking();
      open.append(this.#anyText(block, "thinking", place));
      open.end(this.#signatureOf(block, place));
    } else if (block.type === "toolCall") {
      const [id, name] = [this.#text(block, "id", place), this.#text(block, "name", place)];
      const thoughtSignature = this.#optionalText(block, "thoughtSignature", place);
      this.#hasCalls = true;
      this.#assembler.openToolCall({ id, name }).end(block.arguments, thoughtSignature);
    } else {
      throw this.#wrong(
        `sent a host_model_result whose ${place} has the type ${show(block.type)}; expected text, thinking or toolCall`,
      );
    }
  }

  #toFailure(fields: Fields): AiError {
    const message = cleanText(this.#text(fields, "message", "host_model_error"));
    const retryable = this.#optionalFlag(fields, "retryable", "host_model_error");
    const isOverflow = this.#optionalFlag(fields, "overflow", "host_model_error") ?? isOverflowText(message);
    if (isOverflow) return new AiError("context_overflow", message);
    if (retryable === undefined) return toAiError(new Error(message), this.#model);
    return new AiError(retryable ? "overloaded" : "invalid_request", message, { retryable });
  }

  #setUsage(usage: unknown, where: string): void {
    this.#assembler.setUsage(readUsage(usage, this.#model, (problem) => this.#wrong(`sent a wrong ${where}: ${problem}`)));
  }

  #find(index: number, type: string): OpenBlock {
    const open = this.#open.get(index);
    if (open && type.startsWith(open.kind)) return open;
    const kind = type.slice(0, type.indexOf("_"));
    throw this.#wrong(`sent ${type} for contentIndex ${show(index)}, which is not an open ${kind} block`);
  }

  #count(length: number): void {
    this.#length += length;
    if (this.#length > this.#maxLength) throw this.#wrong(`sent more than ${this.#maxLength} characters for one answer`);
  }

  #text(fields: Fields, name: string, where: string): string {
    const text = this.#anyText(fields, name, where);
    if (text.trim() === "") throw this.#wrong(`sent a wrong ${where}: Field "${name}" must not be empty`);
    return text;
  }

  #anyText(fields: Fields, name: string, where: string): string {
    const text = this.#optionalText(fields, name, where);
    if (text === undefined) throw this.#wrong(`sent a wrong ${where}: Field "${name}" must be a string, but is missing`);
    return text;
  }

  #optionalText(fields: Fields, name: string, where: string): string | undefined {
    const value = fields[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw this.#wrong(`sent a wrong ${where}: Field "${name}" must be a string`);
    return value;
  }

  #optionalFlag(fields: Fields, name: string, where: string): boolean | undefined {
    const value = fields[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "boolean") throw this.#wrong(`sent a wrong ${where}: Field "${name}" must be a boolean`);
    return value;
  }

  /** A retry does not help: the host would do the same again. */
  #wrong(problem: string): AiError {
    const { provider, id } = this.#model;
    return new AiError("bad_response", `The host of ${provider}/${id} ${problem}.`, { retryable: false });
  }
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : typeof value === "number" ? String(value) : typeof value;
}
