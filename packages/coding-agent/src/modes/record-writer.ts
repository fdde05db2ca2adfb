import { type AssistantMessage, emptyUsage, type Usage } from "@pikit/ai";
import { breathe } from "../exec/breathe.ts";
import type { StreamMode } from "../protocol/data.ts";
import type { BashUpdate } from "../protocol/frames.ts";
import { encodeJsonPieces, isLong } from "../protocol/json-pieces.ts";
import { encodeLine } from "../protocol/jsonl.ts";
import { LinePieces } from "../protocol/line-pieces.ts";
import { SnapshotEncoder } from "../protocol/snapshot-encoder.ts";
import { type BlockEvent, type DeltaUpdate, joinDeltas, newUsage, toDelta } from "../protocol/stream-records.ts";
import type { AgentSessionEvent } from "../session/events.ts";
import type { PieceSink } from "./output-sink.ts";
import { toSentMessage } from "./sent-attachments.ts";
import { WaitingOutput } from "./waiting-output.ts";

type MessageUpdate = Extract<AgentSessionEvent, { type: "message_update" }>;
type QueueUpdate = Extract<AgentSessionEvent, { type: "queue_update" }>;
type ToolUpdate = Extract<AgentSessionEvent, { type: "tool_execution_update" }>;
/** An item of the queue; it becomes one line. Updates may be joined while they wait. */
type Waiting =
  | { kind: "record"; record: object }
  /** The content of the session's queues; undefined after it was written, or when a later update has replaced it. */
  | { kind: "queues"; update: QueueUpdate | undefined }
  | { kind: "delta"; delta: DeltaUpdate; answer: StreamedAnswer }
  | { kind: "tool"; update: ToolUpdate }
  | { kind: "bash"; update: Omit<BashUpdate, "delta">; output: WaitingOutput<"joined"> };

/** The assistant message that is being streamed. */
interface StreamedAnswer {
  /** The message of `message_start`. */
  start: AssistantMessage;
  /** The usage that was sent last. */
  knownUsage: Usage;
  /** Builds the records of snapshots mode from the deltas; undefined in deltas mode. */
  encoder: SnapshotEncoder | undefined;
}

/** The length of one write, in characters or bytes; one line may exceed it, unless it is written in pieces. */
const batchLength = 64 * 1024;

export interface RecordWriterOptions {
  /**
   * Whether a line may come in several writes, with nothing between them: then a long one is never in memory as a whole, and other work runs
   * between its pieces. Default: each write has whole lines.
   */
  cutsLines?: boolean;
}

/**
 * The only writer of a protocol's output. It writes complete records in their order, and no sender waits for it. While the reader is slow,
 * the waiting deltas of one block are joined, and of the waiting updates of one tool call only the latest is kept; so the queue is not longer
 * than the messages themselves. Records are encoded only when they are written.
 */
export class RecordWriter {
  readonly #sink: PieceSink;
  readonly #cutsLines: boolean;
  #mode: StreamMode;
  #queue: Waiting[] = [];
  /** The rest of a long line that is being written. Everything in the queue comes after it. */
  #line: Iterator<string, void> | undefined;
  #isFlushing = false;
  #idle: (() => void)[] = [];
  #answer: StreamedAnswer | undefined;
  /** The last update of the queues, unless a record was sent since that may depend on it. */
  #queues: Extract<Waiting, { kind: "queues" }> | undefined;

  constructor(sink: PieceSink, mode: StreamMode, { cutsLines = false }: RecordWriterOptions = {}) {
    this.#sink = sink;
    this.#mode = mode;
    this.#cutsLines = cutsLines;
  }

  get mode(): StreamMode {
    return this.#mode;
  }

  /** Takes effect with the next answer. */
  set mode(mode: StreamMode) {
    this.#mode = mode;
  }

  /** Sends a record. It must not change afterwards. */
  send(record: object): void {
    this.#queue.push({ kind: "record", record });
    this.#schedule();
  }

  /** Sends an event of a session. */
  sendEvent(event: AgentSessionEvent): void {
    if (event.type === "message_update") this.#sendUpdate(event);
    else if (event.type === "tool_execution_update") this.#sendToolUpdate(event);
    else if (event.type === "queue_update") this.#sendQueueUpdate(event);
    else if (event.type === "message_start" && event.message.role === "assistant") this.#startAnswer(event.message);
    else this.#sendOther(event);
  }

  #sendOther(event: AgentSessionEvent): void {
    // This may be a message from the queues, so a later update must not replace the waiting one before it.
    this.#queues = undefined;
    if (event.type === "message_start" || event.type === "message_end")
      this.send({ ...event, message: toSentMessage(event.message) });
    else if (event.type === "agent_end") this.send({ ...event, messages: event.messages.map(toSentMessage) });
    else this.send(event);
  }

  /** Each update has the whole content of the queues, so it replaces one that still waits. The new one goes to the end of the output. */
  #sendQueueUpdate(update: QueueUpdate): void {
    if (this.#queues) this.#queues.update = undefined;
    this.#queues = { kind: "queues", update };
    this.#queue.push(this.#queues);
    this.#schedule();
  }

  /** Sends output of a command. If too much output waits, its beginning is dropped; the response to the command contains its end. */
  sendBashUpdate({ delta, ...update }: BashUpdate): void {
    let output = this.#findWaitingOutput(update.id);
    if (!output) {
      output = new WaitingOutput();
      this.#queue.push({ kind: "bash", update, output });
    }
    output.add(delta, "joined");
    this.#schedule();
  }

  /** Finds the waiting output of a command. Updates of other commands, calls and answers are independent; output is not joined across a record. */
  #findWaitingOutput(id: unknown): WaitingOutput<"joined"> | undefined {
    for (let index = this.#queue.length - 1; index >= 0; index -= 1) {
      const waiting = this.#queue[index];
      if (waiting?.kind === "record") return undefined;
      if (waiting?.kind === "bash" && waiting.update.id === id) return waiting.output;
    }
    return undefined;
  }

  /** Writes everything sent so far now, for a sink that is never full. */
  writeNow(): void {
    if (this.#queue.length > 0) this.#flushAll();
  }

  /** Resolves when everything sent so far is written, or cannot be written any more. */
  flush(): Promise<void> {
    if (this.#queue.length === 0 && !this.#isFlushing) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #startAnswer(live: AssistantMessage): void {
    const message = toUnstarted(live);
    this.#answer = {
      start: message,
      knownUsage: message.usage,
      encoder: this.#mode === "snapshots" ? new SnapshotEncoder(message) : undefined,
    };
    this.send({ type: "message_start", message });
  }

  #sendUpdate({ message, assistantMessageEvent: event }: MessageUpdate): void {
    const answer = this.#answer;
    if (!answer) return;
    if (event.type === "start" || event.type === "done" || event.type === "error") {
      if (!answer.encoder) return;
      const isStart = event.type === "start";
      this.send({
        type: "message_update",
        message: isStart ? answer.start : message,
        assistantMessageEvent: isStart ? { type: "start", partial: answer.start } : event,
      });
      return;
    }
    const usage = newUsage(event.partial.usage, answer.knownUsage);
    answer.knownUsage = event.partial.usage;
    if (!this.#joinWaiting(event, usage, answer)) this.#queue.push({ kind: "delta", delta: toDelta(event, usage), answer });
    this.#schedule();
  }

  /** Joins a delta with a waiting one of the same block, if any. Deltas of other blocks may be between them, because blocks are independent. */
  #joinWaiting(event: BlockEvent, usage: Usage | undefined, answer: StreamedAnswer): boolean {
    for (let index = this.#queue.length - 1; index >= 0; index -= 1) {
      const waiting = this.#queue[index];
      if (waiting?.kind === "bash" || waiting?.kind === "queues") continue;
      if (waiting?.kind !== "delta" || waiting.answer !== answer) return false;
      if (joinDeltas(waiting.delta, event, usage)) return true;
      // The order of starts and ends is kept, and a new usage must not overtake an older one.
      if (!("delta" in waiting.delta.assistantMessageEvent) || usage) return false;
    }
    return false;
  }

  #sendToolUpdate(update: ToolUpdate): void {
    const waiting = this.#findWaitingUpdate(update.toolCallId);
    if (waiting) waiting.update = update;
    else this.#queue.push({ kind: "tool", update });
    this.#schedule();
  }

  /** Finds the waiting update of a call; with parallel calls it need not be the last item. */
  #findWaitingUpdate(toolCallId: string): Extract<Waiting, { kind: "tool" }> | undefined {
    for (let index = this.#queue.length - 1; index >= 0; index -= 1) {
      const waiting = this.#queue[index];
      if (waiting?.kind === "bash" || waiting?.kind === "queues") continue;
      if (waiting?.kind !== "tool") return undefined;
      if (waiting.update.toolCallId === toolCallId) return waiting;
    }
    return undefined;
  }

  /** Writes after the events of this turn of the event loop, so that the deltas of one network read go out together; not with a timer. */
  #schedule(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(this.#flushAll);
  }

  /** Writes the queue until the sink is full, and the rest when the sink has room again. */
  readonly #flushAll = (): void => {
    while (this.#queue.length > 0 || this.#line) {
      const wait = this.#line ? this.#writeRest(this.#line) : this.#writeSome();
      if (wait !== undefined) return void wait.then(this.#flushAll);
    }
    this.#isFlushing = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  };

  /** Writes records of the queue, until the sink is full or a long line is next. */
  #writeSome(): Promise<void> | undefined {
    const queue = this.#queue;
    this.#queue = [];
    const batch = new LinePieces();
    for (let index = 0; index < queue.length; index += 1) {
      const waiting = queue[index] as Waiting;
      const isCut = this.#cutsLines && waiting.kind === "record" && isLong(waiting.record);
      if (isCut) this.#line = encodeJsonPieces(waiting.record);
      else addLine(waiting, batch);
      if (batch.length < batchLength && index < queue.length - 1 && !isCut) continue;
      const wait = batch.length > 0 ? this.#sink.write(batch.take()) : undefined;
      if (wait === undefined && !isCut) continue;
      // The rest goes back into the queue, so that new deltas can be joined with it.
      this.#queue = queue.slice(index + 1);
      return wait;
    }
    return undefined;
  }

  /** Writes pieces of a long line, until the sink is full, the line ends, or other work is due. */
  #writeRest(line: Iterator<string, void>): Promise<void> | undefined {
    const batch = new LinePieces();
    while (this.#line) {
      const { done, value } = line.next();
      batch.add(done ? "\n" : value);
      if (done) this.#line = undefined;
      const pause = breathe();
      if (!done && batch.length < batchLength && pause === undefined) continue;
      const wait = batch.length > 0 ? this.#sink.write(batch.take()) : undefined;
      if (wait !== undefined) return wait;
      if (pause !== undefined) return pause;
    }
    return undefined;
  }
}

function addLine(waiting: Waiting, batch: LinePieces): void {
  if (waiting.kind === "queues") {
    if (waiting.update) batch.add(encodeLine(waiting.update));
    waiting.update = undefined;
  } else if (waiting.kind === "delta" && waiting.answer.encoder) waiting.answer.encoder.addLine(waiting.delta, batch);
  else batch.add(encodeLine(toRecord(waiting)));
}

function toRecord(waiting: Exclude<Waiting, { kind: "queues" }>): object {
  switch (waiting.kind) {
    case "record":
      return waiting.record;
    case "delta":
      return waiting.delta;
    case "tool":
      return waiting.update;
    case "bash":
      return {
        ...waiting.update,
        delta: waiting.output
          .read()
          .map(({ text }) => text)
          .join(""),
      };
  }
}

/**
 * The message as it was before its first delta. The live message may be ahead, because one network read brings many deltas, which are sent
 * one by one.
 */
export function toUnstarted(live: AssistantMessage): AssistantMessage {
  const { errorMessage: _errorMessage, ...message } = live;
  return { ...message, content: [], usage: emptyUsage(), stopReason: "stop" };
}
