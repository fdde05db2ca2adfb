import { encodeLine } from "../../protocol/jsonl.ts";
import type { ByteSink } from "../stdout.ts";
import type { ChatEvent } from "./protocol.ts";

/** Characters that are handed to the sink in one piece. */
const batchLength = 64 * 1024;
/** Characters of a command's output that may wait for a slow reader; what comes before them is left out. The result has the end of it too. */
const maxWaitingOutput = 1024 * 1024;

/**
 * The one writer of stdout: events leave in the order in which they came, whole, and nobody waits for them. While the reader is slow,
 * pieces of one text, or of one stream, that wait behind each other become one, so that what waits is bounded by what was said.
 */
export class ChatOutput {
  readonly #sink: ByteSink;
  #queue: ChatEvent[] = [];
  #isFlushing = false;
  #isReaderSlow = false;
  #idle: (() => void)[] = [];

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Sends an event. It must not change afterwards. */
  send(event: ChatEvent): void {
    const last = this.#queue.at(-1);
    const joined = this.#isReaderSlow && last ? join(last, event) : undefined;
    if (joined) this.#queue[this.#queue.length - 1] = joined;
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
      batch += encodeLine(this.#queue[count]);
      count += 1;
    }
    // One copy a batch; taking events off the front one by one would move the rest each time.
    this.#queue = this.#queue.slice(count);
    return this.#sink.write(batch);
  }
}

/** Both as one event, where that says the same. */
function join(waiting: ChatEvent, next: ChatEvent): ChatEvent | undefined {
  if (waiting.event === "text_chunk" && next.event === "text_chunk") {
    return { event: "text_chunk", data: { text: waiting.data.text + next.data.text } };
  }
  if (waiting.event !== "command_output" || next.event !== "command_output") return undefined;
  const { stream } = waiting.data;
  if (stream !== next.data.stream) return undefined;
  return { event: "command_output", data: { stream, chunk: keepEnd(waiting.data.chunk + next.data.chunk) } };
}

/** Twice as much is let through before it is cut, so that cutting costs no more than reading. */
function keepEnd(text: string): string {
  if (text.length <= 2 * maxWaitingOutput) return text;
  return `\n[some output was left out here]\n${text.slice(-maxWaitingOutput)}`;
}
