import type { ModelCall, ModelOutput } from "../model-function.ts";
import type { HostModelResult, HostModelUsage } from "../protocol-types.ts";
import { type AiSdkModel, type ProviderData, toSignature } from "./model.ts";
import { toCallOptions } from "./prompt.ts";

type Part = { type?: unknown } & Record<string, unknown>;

/** A block of the answer that has not ended. */
interface OpenBlock {
  kind: "text" | "thinking" | "toolcall";
  contentIndex: number;
  data: ProviderData;
  id: string;
  toolName: string;
  hasInput: boolean;
}

/** Asks a model of the AI SDK. The parts of its stream become the steps of the answer. */
export async function* answerWith(model: AiSdkModel, call: ModelCall): AsyncGenerator<ModelOutput, HostModelResult | undefined> {
  const { stream } = await model.doStream(toCallOptions(model, call) as never);
  const reader = stream.getReader();
  const answer = new Answer();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return answer.result;
      yield* answer.read((value ?? {}) as Part);
    }
  } finally {
    // Has no effect at the end of the stream.
    reader.cancel().catch(() => undefined);
  }
}

/** Reads the parts of one stream. */
class Answer {
  /** The result; undefined before the part `finish`. */
  result: HostModelResult | undefined;
  /** By kind and id, because the ids of texts and reasoning are separate. */
  readonly #open = new Map<string, OpenBlock>();
  #blockCount = 0;
  #hasCalls = false;

  /** @throws What the provider reports as an error. */
  read(part: Part): ModelOutput[] {
    switch (part.type) {
      case "text-start":
      case "text-delta":
      case "text-end":
        return this.#readBlock("text", part);
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return this.#readBlock("thinking", part);
      case "tool-input-start":
        return part.providerExecuted === true ? [] : this.#begin("toolcall", String(part.id), part, String(part.toolName));
      case "tool-input-delta":
        return this.#append("toolcall", part);
      case "tool-call":
        return part.providerExecuted === true ? [] : this.#readCall(part);
      case "file":
        return this.#note(`[The model has made a file of the type ${String(part.mediaType)}, which is not kept.]`);
      case "finish":
        return this.#finish(part);
      case "error":
        throw part.error instanceof Error ? part.error : Object.assign(new Error(describe(part.error)), pickFlag(part.error));
      default:
        return []; // sources, warnings, metadata, raw chunks, and what the provider itself has run
    }
  }

  #readBlock(kind: "text" | "thinking", part: Part): ModelOutput[] {
    const moment = String(part.type).slice(String(part.type).lastIndexOf("-") + 1);
    if (moment === "start") return this.#begin(kind, String(part.id), part);
    const appended = this.#append(kind, part);
    return moment === "end" ? [...appended, ...this.#end(kind, String(part.id))] : appended;
  }

  #begin(kind: OpenBlock["kind"], id: string, part: Part, toolName = ""): ModelOutput[] {
    const contentIndex = this.#blockCount;
    this.#blockCount += 1;
    const open: OpenBlock = { kind, contentIndex, data: {}, id, toolName, hasInput: false };
    merge(open.data, part.providerMetadata);
    this.#open.set(`${kind} ${id}`, open);
    if (kind !== "toolcall") return [{ type: `${kind}_start`, contentIndex }];
    this.#hasCalls = true;
    return [{ type: "toolcall_start", contentIndex, id, toolName }];
  }

  /** Adds the delta and the provider's data of a part. */
  #append(kind: OpenBlock["kind"], { id, delta, providerMetadata }: Part): ModelOutput[] {
    const open = this.#open.get(`${kind} ${String(id)}`);
    if (!open) return [];
    merge(open.data, providerMetadata);
    if (typeof delta !== "string" || delta === "") return [];
    open.hasInput = true;
    return [{ type: `${kind}_delta`, contentIndex: open.contentIndex, delta }];
  }

  /** A whole call: the end of a streamed one, or one that was not streamed. */
  #readCall(part: Part): ModelOutput[] {
    const id = String(part.toolCallId);
    const begun = this.#open.has(`toolcall ${id}`) ? [] : this.#begin("toolcall", id, part, String(part.toolName));
    const open = this.#open.get(`toolcall ${id}`);
    const input = typeof part.input === "string" ? part.input : JSON.stringify(part.input ?? {});
    const delta = open?.hasInput ? "" : input;
    const appended = this.#append("toolcall", { id, delta, providerMetadata: part.providerMetadata });
    return [...begun, ...appended, ...this.#end("toolcall", id)];
  }

  #end(kind: OpenBlock["kind"], id: string): ModelOutput[] {
    const open = this.#open.get(`${kind} ${id}`);
    if (!open) return [];
    this.#open.delete(`${kind} ${id}`);
    const { contentIndex, data, toolName } = open;
    const signature = Object.keys(data).length > 0 ? toSignature(data) : undefined;
    if (kind === "text") return [{ type: "text_end", contentIndex, ...(signature !== undefined && { textSignature: signature }) }];
    // Without a signature the text would come back as that of an answer.
    if (kind === "thinking") return [{ type: "thinking_end", contentIndex, thinkingSignature: toSignature(data) }];
    if (signature === undefined) return [{ type: "toolcall_end", contentIndex }];
    const toolCall = { type: "toolCall" as const, id, name: toolName, arguments: {}, thoughtSignature: signature };
    return [{ type: "toolcall_end", contentIndex, toolCall }];
  }

  #note(content: string): ModelOutput[] {
    const contentIndex = this.#blockCount;
    this.#blockCount += 1;
    return [
      { type: "text_start", contentIndex },
      { type: "text_end", contentIndex, content },
    ];
  }

  /** Some providers leave out the ends of blocks. */
  #finish({ finishReason, usage }: Part): ModelOutput[] {
    const ends = [...this.#open.values()].flatMap(({ kind, id }) => this.#end(kind, id));
    this.result = { stopReason: mapFinishReason(finishReason, this.#hasCalls), usage: toUsage(usage) };
    return ends;
  }
}

/** Maps the reason of `finish`: a text, or an object with `unified`. Throws for the reasons of failed answers. */
function mapFinishReason(reason: unknown, hasCalls: boolean): HostModelResult["stopReason"] {
  const name = typeof reason === "object" && reason !== null ? (reason as { unified?: unknown }).unified : reason;
  if (name === "length") return "length";
  if (name === "content-filter")
    throw Object.assign(new Error("The model declined to answer (content-filter)."), { retryable: false });
  if (name === "error" || name === "interrupted") {
    throw Object.assign(new Error(`The answer of the model has ended early (${name}).`), { retryable: true });
  }
  return hasCalls ? "toolUse" : "stop";
}

interface TokenCounts {
  total?: number;
  noCache?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** Reads the usage: numbers in version 2, objects in later ones. */
function toUsage(usage: unknown): HostModelUsage {
  const { inputTokens, outputTokens, cachedInputTokens } = (usage ?? {}) as Record<string, unknown>;
  const input: TokenCounts =
    typeof inputTokens === "object" && inputTokens !== null
      ? inputTokens
      : { total: Number(inputTokens ?? 0), cacheRead: Number(cachedInputTokens ?? 0) };
  const output = typeof outputTokens === "object" && outputTokens !== null ? (outputTokens as TokenCounts).total : outputTokens;
  const { total = 0, cacheRead = 0, cacheWrite = 0, noCache = total - cacheRead - cacheWrite } = input;
  const count = (value: unknown) => (typeof value === "number" && value > 0 ? value : 0);
  return { input: count(noCache), output: count(output), cacheRead: count(cacheRead), cacheWrite: count(cacheWrite) };
}

function merge(data: ProviderData, more: unknown): void {
  if (typeof more !== "object" || more === null) return;
  for (const [provider, fields] of Object.entries(more)) data[provider] = { ...data[provider], ...(fields as object) };
}

function describe(error: unknown): string {
  if (typeof error === "string") return error;
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : (JSON.stringify(error) ?? "The model reported an error.");
}

function pickFlag(error: unknown): object {
  const { isRetryable } = (error ?? {}) as { isRetryable?: unknown };
  return typeof isRetryable === "boolean" ? { isRetryable } : {};
}
