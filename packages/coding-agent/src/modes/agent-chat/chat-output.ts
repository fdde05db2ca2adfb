import { encodeLine } from "../../protocol/jsonl.ts";
import type { ByteSink } from "../output-sink.ts";
import { type OutputPiece, omission, WaitingOutput } from "../waiting-output.ts";
import type { ChatEvent } from "./protocol.ts";

type CommandOutput = Extract<ChatEvent, { event: "command_output" }>;
type OutputStream = CommandOutput["data"]["stream"];
/** An item of the queue: an event, or the joined output of a command, which becomes several events. */
type Waiting = ChatEvent | WaitingOutput<OutputStream>;

/** The length of one write, in characters; one event may exceed it. */
const batchLength = 64 * 1024;

/**
 * The only writer of stdout. It writes complete events in their order, and no sender waits for it. While the reader is slow, consecutive
 * text chunks in the queue are joined, and so is the output of a command, so that the queue is not longer than the texts themselves. Of long
 * output the beginning is dropped; the tool result contains its end too.
 */
export class ChatOutput {
  readonly #sink: ByteSink;
  #queue: Waiting[] = [];
  #isFlushing = false;
  #isReaderSlow = false;
  #idle: (() => void)[] = [];

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Sends an event. It must not change afterwards. */
  send(event: ChatEvent): void {
    if (!this.#isReaderSlow) this.#queue.push(event);
    else if (event.event === "command_output") this.#holdOutput(event.data);
    else if (event.event === "text_chunk") this.#holdText(event.data.text);
    else this.#queue.push(event);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    // All events of this turn of the event loop go out in one write.
    setImmediate(() => void this.#flushAll());
  }

  /** Resolves when everything sent so far is written, or cannot be written any more. */
  flush(): Promise<void> {
    if (!this.#isFlushing) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #holdOutput({ stream, chunk }: CommandOutput["data"]): void {
    let output = this.#queue.at(-1);
    if (!(output instanceof WaitingOutput)) {
      output = new WaitingOutput<OutputStream>();
      this.#queue.push(output);
    }
    output.add(`${chunk}\n`, stream);
  }

  #holdText(text: string): void {
    const last = this.#queue.at(-1);
    const isText = last && !(last instanceof WaitingOutput) && last.event === "text_chunk";
    if (isText) this.#queue[this.#queue.length - 1] = { event: "text_chunk", data: { text: last.data.text + text } };
    else this.#queue.push({ event: "text_chunk", data: { text } });
  }

  async #flushAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const wait = this.#writeBatch();
      this.#isReaderSlow = wait !== undefined;
      if (wait !== undefined) await wait;
    }
    this.#isFlushing = false;
    this.#isReaderSlow = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #writeBatch(): Promise<void> | undefined {
    let batch = "";
    let count = 0;
    while (count < this.#queue.length && batch.length < batchLength) {
      batch += encodeWaiting(this.#queue[count] as Waiting);
      count += 1;
    }
    // One copy per batch: `shift` would move the rest for each event.
    this.#queue = this.#queue.slice(count);
    return this.#sink.write(batch);
  }
}

function encodeWaiting(waiting: Waiting): string {
  return waiting instanceof WaitingOutput ? waiting.read().map(encodePiece).join("") : encodeLine(waiting);
}

/** Encodes one event for each line. */
function encodePiece({ stream, text }: OutputPiece<OutputStream>): string {
  const whole = text.startsWith(omission) ? text.slice(1) : text;
  return whole
    .slice(0, -1)
    .split("\n")
    .map((chunk) => encodeLine({ event: "command_output", data: { stream, chunk } } satisfies CommandOutput))
    .join("");
}
