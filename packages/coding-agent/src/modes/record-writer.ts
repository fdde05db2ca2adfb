import { type AssistantMessage, emptyUsage, type Usage } from "@pikit/ai";
import type { StreamMode } from "../protocol/data.ts";
import type { BashUpdate } from "../protocol/frames.ts";
import { encodeLine } from "../protocol/jsonl.ts";
import { LinePieces } from "../protocol/line-pieces.ts";
import { SnapshotEncoder } from "../protocol/snapshot-encoder.ts";
import { type BlockEvent, type DeltaUpdate, joinDeltas, newUsage, toDelta } from "../protocol/stream-records.ts";
import type { AgentSessionEvent } from "../session/events.ts";
import { toSentMessage } from "./sent-attachments.ts";
import type { PieceSink } from "./stdout.ts";
import { WaitingOutput } from "./waiting-output.ts";

type MessageUpdate = Extract<AgentSessionEvent, { type: "message_update" }>;
type QueueUpdate = Extract<AgentSessionEvent, { type: "queue_update" }>;
type ToolUpdate = Extract<AgentSessionEvent, { type: "tool_execution_update" }>;
/** Anything that becomes one line. Streamed updates may be joined while they wait. */
type Waiting =
  | { kind: "record"; record: object }
  /** What waits in the session's queues; undefined when it has left, or a later one stands for it. */
  | { kind: "queues"; update: QueueUpdate | undefined }
  | { kind: "delta"; delta: DeltaUpdate; answer: StreamedAnswer }
  | { kind: "tool"; update: ToolUpdate }
  | { kind: "bash"; update: Omit<BashUpdate, "delta">; output: WaitingOutput<"joined"> };

/** The answer that is being streamed. */
interface StreamedAnswer {
  /** As it was told first. */
  start: AssistantMessage;
  /** The usage that was told last. */
  knownUsage: Usage;
  /** Writes the records of snapshots mode, from the same deltas as a client would; undefined in deltas mode. */
  encoder: SnapshotEncoder | undefined;
}

/** Characters or bytes that are handed to the sink at once. */
const batchLength = 64 * 1024;

/**
 * The one writer of a protocol's output: records leave in the order in which they came, whole. Nobody waits for it. While the reader is
 * slow, waiting deltas of one block become one and waiting updates of one tool call become the latest, so what waits is bounded by the
 * messages themselves; records are turned into text only when they leave.
 */
export class RecordWriter {
  readonly #sink: PieceSink;
  #mode: StreamMode;
  #queue: Waiting[] = [];
  #isFlushing = false;
  #idle: (() => void)[] = [];
  #answer: StreamedAnswer | undefined;
  /** The last update of the queues, unless something was told since that may depend on it. */
  #queues: Extract<Waiting, { kind: "queues" }> | undefined;

  constructor(sink: PieceSink, mode: StreamMode) {
    this.#sink = sink;
    this.#mode = mode;
  }

  get mode(): StreamMode {
    return this.#mode;
  }

  /** Takes effect with the next answer that begins. */
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
    // It may be the message that has left the queue.
    this.#queues = undefined;
    if (event.type === "message_start" || event.type === "message_end")
      this.send({ ...event, message: toSentMessage(event.message) });
    else if (event.type === "agent_end") this.send({ ...event, messages: event.messages.map(toSentMessage) });
    else this.send(event);
  }

  /** Each says all that waits, so that one that has not left yet is not needed any more. The new one stands behind what it follows. */
  #sendQueueUpdate(update: QueueUpdate): void {
    if (this.#queues) this.#queues.update = undefined;
    this.#queues = { kind: "queues", update };
    this.#queue.push(this.#queues);
    this.#schedule();
  }

  /** Sends more output of a command. The response to the command has its end, so that of what waits too long the beginning may go. */
  sendBashUpdate({ delta, ...update }: BashUpdate): void {
    let output = this.#findWaitingOutput(update.id);
    if (!output) {
      output = new WaitingOutput();
      this.#queue.push({ kind: "bash", update, output });
    }
    output.add(delta, "joined");
    this.#schedule();
  }

  /** Updates of commands, calls and answers take turns, and none depends on another; records stay where they are. */
  #findWaitingOutput(id: unknown): WaitingOutput<"joined"> | undefined {
    for (let index = this.#queue.length - 1; index >= 0; index -= 1) {
      const waiting = this.#queue[index];
      if (waiting?.kind === "record") return undefined;
      if (waiting?.kind === "bash" && waiting.update.id === id) return waiting.output;
    }
    return undefined;
  }

  /** Resolves when everything sent so far has been handed to the operating system, or never will be. */
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

  /** Adds a delta to one that waits, if there is one of its block. Deltas of other blocks may stand between: blocks do not depend on each other. */
  #joinWaiting(event: BlockEvent, usage: Usage | undefined, answer: StreamedAnswer): boolean {
    for (let index = this.#queue.length - 1; index >= 0; index -= 1) {
      const waiting = this.#queue[index];
      if (waiting?.kind === "bash" || waiting?.kind === "queues") continue;
      if (waiting?.kind !== "delta" || waiting.answer !== answer) return false;
      if (joinDeltas(waiting.delta, event, usage)) return true;
      // A start or an end stays where it is, and a new usage must not be told before an older one.
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

  /** Updates of calls that run side by side take turns, so the one to replace need not be the last. */
  #findWaitingUpdate(toolCallId: string): Extract<Waiting, { kind: "tool" }> | undefined {
    for (let index = this.#queue.length - 1; index >= 0; index -= 1) {
      const waiting = this.#queue[index];
      if (waiting?.kind === "bash" || waiting?.kind === "queues") continue;
      if (waiting?.kind !== "tool") return undefined;
      if (waiting.update.toolCallId === toolCallId) return waiting;
    }
    return undefined;
  }

  /** After the events of this turn of the loop, so that deltas of one network read leave together; not a timer. */
  #schedule(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(this.#flushAll);
  }

  /** Writes what waits, as far as the sink wants it, and the rest when it wants more. */
  readonly #flushAll = (): void => {
    while (this.#queue.length > 0) {
      const queue = this.#queue;
      this.#queue = [];
      const wait = this.#writeSome(queue);
      if (wait !== undefined) return void wait.then(this.#flushAll);
    }
    this.#isFlushing = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  };

  #writeSome(queue: Waiting[]): Promise<void> | undefined {
    const batch = new LinePieces();
    for (let index = 0; index < queue.length; index += 1) {
      addLine(queue[index] as Waiting, batch);
      if (batch.length < batchLength && index < queue.length - 1) continue;
      const wait = this.#sink.write(batch.take());
      if (wait === undefined) continue;
      // What has not been written yet goes back, so that what comes meanwhile can join it.
      this.#queue = queue.slice(index + 1);
      return wait;
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
 * What a streamed answer is before anything of it has been told. The live message may be ahead: a network read brings many deltas, which
 * are told one by one.
 */
function toUnstarted(live: AssistantMessage): AssistantMessage {
  const { errorMessage: _errorMessage, ...message } = live;
  return { ...message, content: [], usage: emptyUsage(), stopReason: "stop" };
}
