import type { MessageAssembler, TextBlock, ThinkingBlock, ToolCallBlock } from "../../assembler.ts";
import { joinCallIds } from "./ids.ts";
import { textsOf, type WireReasoningItem, writeMessageSignature, writeReasoning } from "./signatures.ts";

/** An item of the response. Servers may omit any field or send null. */
export interface WireItem extends Omit<WireReasoningItem, "content"> {
  type?: string;
  call_id?: string | null;
  name?: string | null;
  arguments?: unknown;
  content?: ({ text?: string; refusal?: string } | null)[] | null;
  phase?: "commentary" | "final_answer" | null;
}

/** The fields of an event about an item. */
export interface ItemEvent {
  type?: string;
  content_index?: number;
  summary_index?: number;
  delta?: unknown;
  text?: unknown;
  refusal?: unknown;
  arguments?: unknown;
}

/** An item that the server has started. */
export interface OutputItem {
  read(event: ItemEvent): void;
  /** Ends the item; `item` is the complete item. The final response may repeat it, so this may be called twice. */
  end(item: WireItem): void;
}

/** Opens the block of an item; undefined for unknown item types. */
export function openItem(item: WireItem, assembler: MessageAssembler): OutputItem | undefined {
  switch (item.type) {
    case "message":
      return new MessageItem(assembler);
    case "reasoning":
      return new ReasoningItem(assembler);
    case "function_call":
      return new CallItem(item, assembler);
    default:
      return undefined;
  }
}

/** The text of one part of an item. Servers send it as deltas, as complete text, or as both. */
class Part {
  #text = "";

  /** The rest of `whole` after the deltas; empty if `whole` does not start with them. */
  missingIn(whole: unknown): string {
    return typeof whole === "string" && whole.startsWith(this.#text) ? whole.slice(this.#text.length) : "";
  }

  append(delta: string): string {
    this.#text += delta;
    return delta;
  }
}

/** Gets or creates the part at `key`. */
function partAt<K>(parts: Map<K, Part>, key: K): Part {
  const known = parts.get(key);
  if (known) return known;
  const part = new Part();
  parts.set(key, part);
  return part;
}

class MessageItem implements OutputItem {
  readonly #block: TextBlock;
  /** By content index. */
  readonly #parts = new Map<number, Part>();

  constructor(assembler: MessageAssembler) {
    this.#block = assembler.openText();
  }

  read(event: ItemEvent): void {
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#append(event.content_index ?? 0, event.delta);
        break;
      case "response.output_text.done":
        this.#complete(event.content_index ?? 0, event.text);
        break;
      case "response.refusal.done":
        this.#complete(event.content_index ?? 0, event.refusal);
        break;
    }
  }

  end(item: WireItem): void {
    for (const [index, part] of (item.content ?? []).entries()) this.#complete(index, part?.text ?? part?.refusal);
    this.#block.end(writeMessageSignature({ id: item.id ?? undefined, phase: item.phase ?? undefined }));
  }

  #append(index: number, delta: unknown): void {
    if (typeof delta === "string") this.#block.append(partAt(this.#parts, index).append(delta));
  }

  #complete(index: number, whole: unknown): void {
    this.#append(index, partAt(this.#parts, index).missingIn(whole));
  }
}

/** Shows the summary of the model's thinking, and the thinking itself if the server sends it. */
class ReasoningItem implements OutputItem {
  readonly #block: ThinkingBlock;
  /** By kind and index. */
  readonly #parts = new Map<string, Part>();
  #latestPart: string | undefined;
  #text = "";
  #item: WireReasoningItem = {};

  constructor(assembler: MessageAssembler) {
    this.#block = assembler.openThinking();
  }

  read(event: ItemEvent): void {
    switch (event.type) {
      case "response.reasoning_summary_text.delta":
        this.#append(`summary ${event.summary_index ?? 0}`, event.delta);
        break;
      case "response.reasoning_summary_text.done":
        this.#complete(`summary ${event.summary_index ?? 0}`, event.text);
        break;
      case "response.reasoning_text.delta":
        this.#append(`thought ${event.content_index ?? 0}`, event.delta);
        break;
      case "response.reasoning_text.done":
        this.#complete(`thought ${event.content_index ?? 0}`, event.text);
        break;
    }
  }

  end(item: WireItem): void {
    // The encrypted thinking may be only in the final response, or missing only there.
    const { id, summary, content, encrypted_content } = this.#item;
    this.#item = {
      id: item.id ?? id,
      summary: item.summary?.length ? item.summary : summary,
      content: item.content?.length ? item.content : content,
      encrypted_content: item.encrypted_content || encrypted_content,
    };
    const thinkingSignature = writeReasoning(this.#item);
    const whole = [textsOf(item.summary), textsOf(item.content)].find((texts) => texts.length > 0)?.join("\n\n");
    if (whole?.startsWith(this.#text)) this.#show(whole.slice(this.#text.length));
    this.#block.end({ thinkingSignature, thinking: whole });
    if (thinkingSignature) this.#block.sign(thinkingSignature);
  }

  #append(part: string, delta: unknown): void {
    if (typeof delta !== "string" || delta === "") return;
    const separator = this.#latestPart === undefined || this.#latestPart === part ? "" : "\n\n";
    this.#latestPart = part;
    this.#show(separator + partAt(this.#parts, part).append(delta));
  }

  #complete(part: string, whole: unknown): void {
    this.#append(part, partAt(this.#parts, part).missingIn(whole));
  }

  #show(text: string): void {
    this.#text += text;
    this.#block.append(text);
  }
}

class CallItem implements OutputItem {
  readonly #block: ToolCallBlock;
  readonly #arguments = new Part();

  constructor(item: WireItem, assembler: MessageAssembler) {
    const callId = item.call_id || `call_${crypto.randomUUID().replaceAll("-", "")}`;
    this.#block = assembler.openToolCall({ id: joinCallIds(callId, item.id ?? undefined), name: item.name ?? "" });
  }

  read(event: ItemEvent): void {
    if (event.type === "response.function_call_arguments.delta") this.#append(event.delta);
    else if (event.type === "response.function_call_arguments.done") this.#append(this.#arguments.missingIn(event.arguments));
  }

  end(item: WireItem): void {
    this.#append(this.#arguments.missingIn(item.arguments));
    // Some servers send an object instead of JSON text.
    this.#block.end(typeof item.arguments === "object" ? item.arguments : undefined);
  }

  #append(delta: unknown): void {
    if (typeof delta === "string") this.#block.append(this.#arguments.append(delta));
  }
}
