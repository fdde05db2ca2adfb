import type { AssistantMessage } from "@pikit/ai";
import { PartialArguments } from "@pikit/ai/partial-arguments";
import { GrowingString } from "./growing-string.ts";
import { encodeJson } from "./jsonl.ts";
import type { LinePieces } from "./line-pieces.ts";
import type { DeltaUpdate } from "./stream-records.ts";

type StepEvent = DeltaUpdate["assistantMessageEvent"];

/** A block of the answer as JSON. */
interface EncodedBlock {
  append(delta: string): void;
  addTo(line: LinePieces): void;
}

/**
 * Writes the lines of snapshots mode for one streamed answer: the same as those of `SnapshotBuilder` and `encodeLine`. A line contains the
 * complete message twice, but each text is encoded only once: finished blocks are kept as bytes, and deltas are appended to open blocks.
 */
export class SnapshotEncoder {
  #message: AssistantMessage;
  /** The message's JSON before and after the blocks. */
  #frame: { head: string; tail: string };
  readonly #blocks: EncodedBlock[] = [];

  /** @param start - The answer before its first block. */
  constructor(start: AssistantMessage) {
    this.#message = start;
    this.#frame = encodeFrame(start);
  }

  /** Applies a record of deltas mode and adds the corresponding line of snapshots mode. */
  addLine({ assistantMessageEvent: event, usage }: DeltaUpdate, line: LinePieces): void {
    if (usage) {
      this.#message = { ...this.#message, usage };
      this.#frame = encodeFrame(this.#message);
    }
    if ("delta" in event) this.#blocks[event.contentIndex]?.append(event.delta);
    else this.#blocks[event.contentIndex] = encodeBlock(event);
    line.add('{"type":"message_update","message":');
    this.#addMessage(line);
    line.add(`,"assistantMessageEvent":${encodeJson(withoutSignature(event)).slice(0, -1)},"partial":`);
    this.#addMessage(line);
    line.add("}}\n");
  }

  #addMessage(line: LinePieces): void {
    line.add(this.#frame.head);
    for (const [index, block] of this.#blocks.entries()) {
      if (index > 0) line.add(",");
      block.addTo(line);
    }
    line.add(this.#frame.tail);
  }
}

function encodeFrame(message: AssistantMessage): { head: string; tail: string } {
  const fields = Object.entries(message);
  const at = fields.findIndex(([name]) => name === "content");
  const before = encodeJson(Object.fromEntries(fields.slice(0, at))).slice(0, -1);
  const after = encodeJson(Object.fromEntries(fields.slice(at + 1))).slice(1);
  return { head: `${before}${before === "{" ? "" : ","}"content":[`, tail: `]${after === "}" ? "" : ","}${after}` };
}

/** The block that an event starts or ends. */
function encodeBlock(event: Exclude<StepEvent, { delta: string }>): EncodedBlock {
  const { textSignature, thinkingSignature, redacted } = event;
  switch (event.type) {
    case "text_start":
      return growingText('{"type":"text","text":"');
    case "thinking_start":
      return growingText('{"type":"thinking","thinking":"');
    case "toolcall_start":
      return new EncodedCall(event.id ?? "", event.toolName ?? "");
    case "text_end":
      return finished({ type: "text", text: event.content, textSignature });
    case "thinking_end":
      return finished({ type: "thinking", thinking: event.content, thinkingSignature, redacted });
    case "toolcall_end":
      return finished(event.toolCall);
  }
}

function growingText(start: string): EncodedBlock {
  const text = new GrowingString(start);
  return { append: (delta) => text.append(delta), addTo: (line) => text.addTo(line, '"}') };
}

function finished(block: object): EncodedBlock {
  const bytes = Buffer.from(encodeJson(block));
  return { append() {}, addTo: (line) => line.add(bytes) };
}

/** A tool call whose arguments are arriving. While one string of the arguments grows, which is the most frequent case, only it is appended to. */
class EncodedCall implements EncodedBlock {
  readonly #call: { type: "toolCall"; id: string; name: string };
  readonly #reader = new PartialArguments();
  #json: GrowingString;
  /** The JSON after the growing string. */
  #end = "";

  constructor(id: string, name: string) {
    this.#call = { type: "toolCall", id, name };
    this.#json = this.#encode();
  }

  append(delta: string): void {
    this.#reader.append(delta);
    const { growth } = this.#reader;
    if (growth !== undefined && this.#end !== "") this.#json.append(growth);
    else this.#json = this.#encode();
  }

  addTo(line: LinePieces): void {
    this.#json.addTo(line, this.#end);
  }

  #encode(): GrowingString {
    const json = encodeJson({ ...this.#call, arguments: this.#reader.value });
    const { openStringDepth } = this.#reader;
    // The string's quotation mark, the brackets of the arguments after it, and the bracket of the call.
    this.#end = openStringDepth === undefined ? "" : json.slice(-(openStringDepth + 2));
    return new GrowingString(json.slice(0, json.length - this.#end.length));
  }
}

/** The event in snapshots mode: there, signatures and names are only in the message. */
function withoutSignature(event: StepEvent): object {
  const { type, contentIndex } = event;
  if ("delta" in event) return { type, contentIndex, delta: event.delta };
  if ("content" in event) return { type, contentIndex, content: event.content };
  if ("toolCall" in event) return { type, contentIndex, toolCall: event.toolCall };
  return { type, contentIndex };
}
