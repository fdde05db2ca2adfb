import { encodeLine } from "../../protocol/jsonl.ts";
import type { ByteSink } from "../stdout.ts";
import { type OutputPiece, omission, WaitingOutput } from "../waiting-output.ts";
import type { ChatEvent } from "./protocol.ts";

type CommandOutput = Extract<ChatEvent, { event: "command_output" }>;
type OutputStream = CommandOutput["data"]["stream"];
/** What becomes one event, or several if it is the output of both streams of a command. */
type Waiting = ChatEvent | WaitingOutput<OutputStream>;

/** Characters that are handed to the sink in one piece. */
const batchLength = 64 * 1024;

/**
 * The one writer of stdout: events leave in the order in which they came, whole, and nobody waits for them. While the reader is slow,
 * pieces of one text that wait behind each other become one, and so does, in memory, a command's output, so that what waits is bounded by what was said.
 * Of a long output the beginning is left out; the result has the end of it too.
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
    // After the events of this turn of the loop, so that they leave in one write.
    setImmediate(() => void this.#flushAll());
  }

  /** Resolves when everything sent so far has been handed to the operating system, or never will be. */
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
    // One copy a batch; taking events off the front one by one would move the rest each time.
    this.#queue = this.#queue.slice(count);
    return this.#sink.write(batch);
  }
}

function encodeWaiting(waiting: Waiting): string {
  return waiting instanceof WaitingOutput ? waiting.read().map(encodePiece).join("") : encodeLine(waiting);
}

/** An event for each line. */
function encodePiece({ stream, text }: OutputPiece<OutputStream>): string {
  const whole = text.startsWith(omission) ? text.slice(1) : text;
  return whole
    .slice(0, -1)
    .split("\n")
    .map((chunk) => encodeLine({ event: "command_output", data: { stream, chunk } } satisfies CommandOutput))
    .join("");
}
