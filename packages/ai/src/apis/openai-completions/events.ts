import type { MessageAssembler, TextBlock, ThinkingBlock } from "../../assembler.ts";
import { errorInStream } from "../../classify.ts";
import { AiError } from "../../errors.ts";
import { describeErrorBody } from "../../provider-text.ts";
import type { Model } from "../../types.ts";
import { priceUsage } from "../../usage.ts";
import { endMarker, readWireEvent, unknownStopReason } from "../wire-event.ts";
import { resolveCompat } from "./compat.ts";
import { type ReasoningDetail, ReasoningDetails, readDetails, textOfDetail } from "./reasoning-details.ts";
import { type ReasoningField, reasoningFields } from "./reasoning-field.ts";
import { type ToolCallDelta, ToolCallReader } from "./tool-calls.ts";

/** The fields that we read. Servers may omit any of them or send null. */
interface Chunk {
  choices?: (Choice | null)[] | null;
  usage?: WireUsage | null;
  error?: unknown;
}

interface Choice {
  delta?:
    | ({ content?: unknown; tool_calls?: ToolCallDelta[] | null; reasoning_details?: unknown } & {
        [field in ReasoningField]?: unknown;
      })
    | null;
  finish_reason?: string | null;
  usage?: WireUsage | null;
  error?: unknown;
}

/** A part of a content list, as Mistral sends it. */
interface ContentPart {
  type?: string;
  text?: string | null;
  thinking?: ({ text?: string | null } | null)[] | null;
}

interface WireUsage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  prompt_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
  prompt_cache_hit_tokens?: number | null;
  cached_tokens?: number | null;
}

/** Reads the chunks of a Chat Completions stream and reports them to the assembler. Does no HTTP. */
export class OpenAIEventReader {
  readonly #assembler: MessageAssembler;
  readonly #model: Model;
  readonly #calls: ToolCallReader;
  #text: TextBlock | undefined;
  #thinking: { block: ThinkingBlock; field?: string | undefined; details: ReasoningDetails } | undefined;
  #hasContent = false;
  #finishReason: string | undefined;

  /** @param readName - Converts a tool name on the wire to our tool name. */
  constructor(assembler: MessageAssembler, model: Model, readName: (wireName: string) => string = (name) => name) {
    this.#assembler = assembler;
    this.#model = model;
    this.#calls = new ToolCallReader(assembler, readName);
  }

  /** Whether the server has sent the finish reason. Only token counts can follow. */
  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  /**
   * Reads one event. The last one ends the answer.
   *
   * @returns Whether it was the last one.
   * @throws {AiError} When the provider reports an error, or the event is not JSON.
   */
  read(data: string): boolean {
    if (data === endMarker) {
      this.finish({ isMarked: true });
      return true;
    }
    const chunk = readWireEvent<Chunk>(data, this.#model.provider);
    if (!chunk) return false;
    this.#assembler.start();
    const choice = chunk.choices?.[0];
    this.#reportUsage(chunk.usage ?? choice?.usage);
    const error = chunk.error ?? choice?.error;
    if (error) throw wireError(error, this.#model.provider);
    if (choice?.delta) this.#readDelta(choice.delta);
    if (choice?.finish_reason) this.#finishReason = choice.finish_reason;
    return false;
  }

  /**
   * Ends the answer.
   *
   * @param options - `isMarked`: the stream had its end marker, so it is complete; some local servers then omit the finish reason.
   * @throws {AiError} When the finish reason is missing or means failure.
   */
  finish({ isMarked = false }: { isMarked?: boolean } = {}): void {
    const finishReason = this.#finishReason ?? (isMarked && this.#hasContent ? "stop" : undefined);
    if (finishReason === undefined) {
      const message = `${this.#model.provider} closed the stream without a finish_reason; the answer is incomplete.`;
      throw new AiError("bad_response", message);
    }
    const reason = mapFinishReason(finishReason, this.#model);
    if (reason === "length" && !this.#hasContent && resolveCompat(this.#model).emptyLengthIsOverflow) {
      throw new AiError("context_overflow", `The conversation fills the context window of ${this.#model.id}: the answer is empty.`);
    }
    this.#endThinking();
    this.#endText();
    this.#calls.finish();
    this.#assembler.done(reason === "stop" && this.#calls.hasCalls ? "toolUse" : reason);
  }

  #readDelta(delta: NonNullable<Choice["delta"]>): void {
    const field = fieldOfThinking(delta);
    if (field) this.#readThinking(delta[field] as string, field);
    if (delta.reasoning_details) this.#readDetails(readDetails(delta.reasoning_details), field !== undefined);
    this.#readContent(delta.content);
    if (delta.tool_calls) this.#readCalls(delta.tool_calls);
  }

  /** @param hasField - Whether the delta also has the same text in a plain field, as some gateways send it. */
  #readDetails(details: ReasoningDetail[], hasField: boolean): void {
    if (details.length > 0 && !hasField) this.#readThinking(details.map(textOfDetail).join(""));
    for (const detail of details) this.#thinking?.details.add(detail);
  }

  #readCalls(calls: readonly ToolCallDelta[]): void {
    for (const call of calls) {
      this.#hasContent = true;
      this.#endThinking();
      this.#endText();
      this.#calls.read(call);
    }
  }

  /** Reads plain text, or Mistral's list of text and thinking parts. */
  #readContent(content: unknown): void {
    if (typeof content === "string") this.#readText(content);
    if (!Array.isArray(content)) return;
    for (const part of content as (ContentPart | null)[]) {
      if (part?.type === "thinking") this.#readThinking(textOfThinking(part), listField);
      else if (part?.type === "text") this.#readText(part.text ?? "");
    }
  }

  #readThinking(delta: string, field?: string): void {
    this.#hasContent = true;
    this.#endText();
    this.#thinking ??= { block: this.#assembler.openThinking(), field, details: new ReasoningDetails() };
    this.#thinking.field ??= field;
    this.#thinking.block.append(delta);
  }

  #readText(delta: string): void {
    if (delta === "") return;
    this.#hasContent = true;
    this.#endThinking();
    this.#text ??= this.#assembler.openText();
    this.#text.append(delta);
  }

  /** The signature tells how to send the block back: it is the details, or else the name of the block's field. */
  #endThinking(): void {
    if (!this.#thinking) return;
    const { block, field, details } = this.#thinking;
    block.end({ thinkingSignature: details.signature ?? field });
    this.#thinking = undefined;
  }

  #endText(): void {
    this.#text?.end();
    this.#text = undefined;
  }

  /** The wire's prompt count includes cached tokens; ours does not. */
  #reportUsage(usage: WireUsage | null | undefined): void {
    if (!usage) return;
    const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0;
    const cacheWrite = usage.prompt_tokens_details?.cache_write_tokens ?? 0;
    const input = (usage.prompt_tokens ?? 0) - cacheRead - cacheWrite;
    this.#assembler.setUsage(priceUsage(this.#model, { input, output: usage.completion_tokens, cacheRead, cacheWrite }));
  }
}

/** The field with thinking text, if the delta has one. Runs for each delta, so it creates no objects. */
function fieldOfThinking(delta: NonNullable<Choice["delta"]>): ReasoningField | undefined {
  for (const name of reasoningFields) if (typeof delta[name] === "string" && delta[name] !== "") return name;
  return undefined;
}

/** Signature of thinking that arrived in a list of parts. No field corresponds to it, so later requests leave the block out. */
const listField = "content";

function textOfThinking({ thinking }: ContentPart): string {
  return (thinking ?? []).map((piece) => piece?.text ?? "").join("");
}

/** Maps the wire's finish reason to our stop reason. Throws for the finish reasons of failed answers. */
function mapFinishReason(reason: string, model: Model): "stop" | "length" | "toolUse" {
  switch (reason.toLowerCase()) {
    case "stop":
    case "end":
      return "stop";
    case "length":
    case "max_tokens":
      return "length";
    case "tool_calls":
    case "function_call":
      return "toolUse";
    case "content_filter":
      throw new AiError("refused", `A content filter of ${model.provider} stopped the answer (${reason}).`);
    case "network_error":
    case "error":
      throw new AiError("overloaded", `${model.provider} could not complete the answer (${reason}).`);
    case "model_context_window_exceeded":
      throw new AiError("context_overflow", `The conversation is longer than the context window of ${model.id} (${reason}).`);
    default:
      throw unknownStopReason(reason, model);
  }
}

/** Gateways put the error text of the upstream provider into `metadata.raw`. */
function wireError(error: unknown, provider: string): AiError {
  const { code, type, metadata } = (typeof error === "object" ? error : {}) as {
    code?: unknown;
    type?: unknown;
    metadata?: { raw?: unknown } | null;
  };
  let message = describeErrorBody(error);
  if (typeof metadata?.raw === "string" && !message.includes(metadata.raw)) message += ` (${metadata.raw})`;
  return errorInStream({ type: code || type, message, body: error }, provider);
}
