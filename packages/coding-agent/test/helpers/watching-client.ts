import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import type { AssistantMessage } from "@pikit/ai";
import { SnapshotBuilder } from "../../src/protocol/snapshots.ts";
import type { DeltaUpdate } from "../../src/protocol/stream-records.ts";
import type { WireRecord } from "./rpc-process.ts";

/** The response of one connection. The client reads it piece by piece, and may cut it anywhere. */
export class HeldResponse extends Writable {
  #pieces: { text: string; taken: () => void }[] = [];

  constructor(highWaterMark: number) {
    super({ highWaterMark, decodeStrings: false });
  }

  /** It as what the server writes to. */
  get asResponse(): ServerResponse {
    return this as unknown as ServerResponse;
  }

  writeHead(): this {
    return this;
  }

  override _write(chunk: unknown, _encoding: string, taken: () => void): void {
    this.#pieces.push({ text: String(chunk), taken });
  }

  /** Takes the next piece; empty if there is none. */
  take(): string {
    const piece = this.#pieces.shift();
    piece?.taken();
    return piece?.text ?? "";
  }
}

/** A client that rebuilds a session from server-sent events, over any number of connections, and fails where a frame is missing or twice. */
export class Follower {
  /** The position for the next connection. */
  position: string | undefined;
  /** The numbered frames, in order. */
  readonly frames: WireRecord[] = [];
  readonly resyncs: WireRecord[] = [];
  /** The questions that were asked again. */
  readonly again: WireRecord[] = [];
  /** The complete answers. */
  readonly answers: string[] = [];
  readonly #mode: "deltas" | "snapshots";
  #builder: SnapshotBuilder | undefined;
  #text = "";
  #seq = 0;

  constructor(mode: "deltas" | "snapshots") {
    this.#mode = mode;
  }

  /** The text of the answer that is being streamed. */
  get streaming(): string | undefined {
    return this.#builder && textOf(this.#builder.message);
  }

  /** A connection was cut: what has come of an incomplete event is gone. */
  reconnect(): void {
    this.#text = "";
  }

  read(text: string): void {
    const events = (this.#text + text).split("\n\n");
    this.#text = events.pop() ?? "";
    for (const event of events) this.#onEvent(event);
  }

  #onEvent(event: string): void {
    const lines = event.split("\n");
    const data = lines.find((line) => line.startsWith("data: "));
    if (data === undefined) return;
    const record = JSON.parse(data.slice(6)) as WireRecord;
    const id = lines.find((line) => line.startsWith("id: "))?.slice(4);
    if (id === undefined) {
      if (record.type !== "ready") this.again.push(record);
      return;
    }
    this.position = id;
    if (id !== `${String(record.epoch)}:${String(record.seq)}`) throw new Error(`The id ${id} belongs to another frame.`);
    if (record.type === "ready") this.#seq = Number(record.seq);
    else if (record.type === "resync") this.#onResync(record);
    else this.#onFrame(record);
  }

  #onResync(record: WireRecord): void {
    this.resyncs.push(record);
    this.#seq = Number(record.seq);
    this.#builder = record.message === undefined ? undefined : new SnapshotBuilder(record.message as AssistantMessage);
  }

  #onFrame(record: WireRecord): void {
    if (record.seq !== this.#seq + 1) throw new Error(`Frame ${String(record.seq)} came after frame ${this.#seq}.`);
    this.#seq += 1;
    this.frames.push(record);
    if (record.type === "message_start") this.#onStart(record.message as AssistantMessage);
    if (record.type === "message_update") this.#onUpdate(record);
    if (record.type === "message_end") this.#onEnd(record.message as AssistantMessage);
  }

  #onStart(message: AssistantMessage): void {
    if (message.role === "assistant") this.#builder = new SnapshotBuilder(message);
  }

  #onUpdate(record: WireRecord): void {
    if (!this.#builder) throw new Error("A delta came without the beginning of its answer.");
    if (this.#mode === "deltas") this.#builder.apply(record as unknown as DeltaUpdate);
    else this.#builder = new SnapshotBuilder(record.message as AssistantMessage);
  }

  #onEnd(message: AssistantMessage): void {
    if (message.role !== "assistant") return;
    const text = textOf(message);
    if (this.streaming !== text) throw new Error(`The deltas give "${this.streaming}", and the answer is "${text}".`);
    this.answers.push(text);
    this.#builder = undefined;
  }
}

function textOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : "")).join("|");
}
