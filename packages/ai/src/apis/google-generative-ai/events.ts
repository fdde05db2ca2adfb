import type { MessageAssembler, TextBlock, ThinkingBlock } from "../../assembler.ts";
import { errorInStream } from "../../classify.ts";
import { AiError } from "../../errors.ts";
import { isTooDeep } from "../../nesting.ts";
import { describeErrorBody } from "../../provider-text.ts";
import type { Model, Tool } from "../../types.ts";
import { priceUsage } from "../../usage.ts";
import { createNameReader } from "../tool-names.ts";
import { endMarker, readWireEvent, unknownStopReason } from "../wire-event.ts";
import { unsignedThought } from "./signatures.ts";

/** The fields that we read. Servers may omit any of them or send null. */
interface Chunk {
  candidates?: (Candidate | null)[] | null;
  promptFeedback?: { blockReason?: string | null; blockReasonMessage?: string | null } | null;
  usageMetadata?: WireUsage | null;
  error?: unknown;
}

interface Candidate {
  content?: { parts?: (WirePart | null)[] | null } | null;
  finishReason?: string | null;
  finishMessage?: string | null;
}

interface WirePart {
  text?: string | null;
  thought?: boolean | null;
  thoughtSignature?: string | null;
  functionCall?: { id?: string | null; name?: string | null; args?: unknown } | null;
}

interface WireUsage {
  promptTokenCount?: number | null;
  cachedContentTokenCount?: number | null;
  candidatesTokenCount?: number | null;
  thoughtsTokenCount?: number | null;
}

/** The open block; the next part of the same kind continues it. */
type OpenBlock =
  | { isThought: true; block: ThinkingBlock; signature: string }
  | { isThought: false; block: TextBlock; signature: string };

/** Finish reasons of answers that a filter stopped. */
const refusals: ReadonlySet<string> = new Set([
  "SAFETY",
  "RECITATION",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
  "MODEL_ARMOR",
]);

/** Reads the chunks of a `streamGenerateContent` stream and reports them to the assembler. Does no HTTP. */
export class GoogleEventReader {
  readonly #assembler: MessageAssembler;
  readonly #model: Model;
  readonly #readName: (wireName: string) => string;
  readonly #callIds = new Set<string>();
  #open: OpenBlock | undefined;
  #hasText = false;
  #finishReason: string | undefined;
  #finishMessage: string | undefined;

  /** @param tools - The tools of the request. */
  constructor(assembler: MessageAssembler, model: Model, tools?: readonly Tool[]) {
    this.#assembler = assembler;
    this.#model = model;
    this.#readName = createNameReader(tools);
  }

  /** Whether the server has sent the finish reason. Only token counts can follow. */
  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  /**
   * Reads one event. No event of the wire marks the end of the stream: older servers repeat the finish reason in every chunk.
   *
   * @returns Whether it was the end marker that some gateways add.
   * @throws {AiError} When the provider reports an error or refuses the prompt, or the event is not JSON.
   */
  read(data: string): boolean {
    if (data === endMarker) {
      this.finish({ isMarked: true });
      return true;
    }
    const chunk = readWireEvent<Chunk>(data, this.#model.provider);
    if (!chunk) return false;
    if (chunk.error) throw wireError(chunk.error, this.#model.provider);
    this.#assembler.start();
    this.#reportUsage(chunk.usageMetadata);
    const candidate = chunk.candidates?.[0];
    const blockReason = chunk.promptFeedback?.blockReason;
    if (!candidate && blockReason) throw refusal(blockReason, chunk.promptFeedback?.blockReasonMessage, this.#model);
    for (const part of candidate?.content?.parts ?? []) if (part) this.#readPart(part);
    this.#finishReason = candidate?.finishReason ?? this.#finishReason;
    this.#finishMessage = candidate?.finishMessage ?? this.#finishMessage;
    return false;
  }

  /**
   * Ends the answer after the end of the stream.
   *
   * @param options - `isMarked`: the stream had an end marker, so a finish reason is not required.
   * @throws {AiError} When the finish reason is missing or means failure, and when the answer is empty.
   */
  finish({ isMarked = false }: { isMarked?: boolean } = {}): void {
    const { provider } = this.#model;
    const finishReason = this.#finishReason ?? (isMarked ? "STOP" : undefined);
    if (finishReason === undefined) {
      throw new AiError("bad_response", `${provider} closed the stream without a finishReason; the answer is incomplete.`);
    }
    const hasCalls = this.#callIds.size > 0;
    const reason = mapFinishReason(finishReason, this.#finishMessage, this.#model);
    if (reason === "stop" && !hasCalls && !this.#hasText) {
      throw new AiError("bad_response", `${provider} ended the answer without a text or a tool call.`);
    }
    this.#endBlock();
    this.#assembler.done(reason === "stop" && hasCalls ? "toolUse" : reason);
  }

  #readPart(part: WirePart): void {
    if (part.functionCall) this.#readCall(part.functionCall, part.thoughtSignature ?? undefined);
    else if (typeof part.text === "string") this.#readText(part.text, part.thought === true, part.thoughtSignature ?? "");
  }

  #readText(text: string, isThought: boolean, signature: string): void {
    if (text === "" && signature === "") return;
    if (!isThought && text !== "") this.#hasText = true;
    if (this.#open?.isThought !== isThought) {
      this.#endBlock();
      this.#open = isThought
        ? { isThought, block: this.#assembler.openThinking(), signature }
        : { isThought, block: this.#assembler.openText(), signature };
    }
    this.#open.block.append(text);
    if (signature) this.#open.signature = signature;
  }

  /** A call arrives complete. Its id may be missing, or the same for all calls of an answer. */
  #readCall({ id, name, args }: NonNullable<WirePart["functionCall"]>, thoughtSignature: string | undefined): void {
    this.#endBlock();
    const ownId = id && !this.#callIds.has(id) ? id : `call_${crypto.randomUUID().replaceAll("-", "")}`;
    this.#callIds.add(ownId);
    const block = this.#assembler.openToolCall({
      id: ownId,
      name: this.#readName(name ?? ""),
      ...(thoughtSignature && { thoughtSignature }),
    });
    // Arguments that are nested too deeply cannot be serialized; `end` rejects them.
    if (args !== undefined && args !== null && !isTooDeep(args)) block.append(JSON.stringify(args));
    block.end(args);
  }

  #endBlock(): void {
    if (this.#open?.isThought) this.#open.block.end({ thinkingSignature: this.#open.signature || unsignedThought });
    else this.#open?.block.end(this.#open.signature || undefined);
    this.#open = undefined;
  }

  /** The counts are totals of the answer so far. The wire's prompt count includes cached tokens; ours does not. */
  #reportUsage(usage: WireUsage | null | undefined): void {
    if (!usage) return;
    const cacheRead = usage.cachedContentTokenCount ?? 0;
    const input = (usage.promptTokenCount ?? 0) - cacheRead;
    const output = (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0);
    this.#assembler.setUsage(priceUsage(this.#model, { input, output, cacheRead }));
  }
}

/** Maps the wire's finish reason to our stop reason. Throws for the finish reasons of failed answers. */
function mapFinishReason(reason: string, message: string | undefined, model: Model): "stop" | "length" {
  switch (reason) {
    case "STOP":
      return "stop";
    case "MAX_TOKENS":
      return "length";
    case "MALFORMED_FUNCTION_CALL": // a retry can succeed
      throw new AiError("bad_response", `The model wrote a broken tool call (${reason}): ${message ?? "no details"}`);
    default:
      if (refusals.has(reason)) throw refusal(reason, message, model);
      throw unknownStopReason(message ? `${reason}, ${message}` : reason, model);
  }
}

function refusal(reason: string, message: string | null | undefined, model: Model): AiError {
  return new AiError("refused", `${model.provider} declined to answer (${reason}): ${message ?? "no reason given"}`);
}

function wireError(error: unknown, provider: string): AiError {
  const { code, status } = (typeof error === "object" && error !== null ? error : {}) as { code?: unknown; status?: unknown };
  return errorInStream({ type: code || status, message: describeErrorBody(error), body: error }, provider);
}
