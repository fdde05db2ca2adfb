import { StringDecoder } from "node:string_decoder";
import type { OutputStream } from "./output-channels.ts";
import { OutputSpool, type SpooledOutput } from "./output-spool.ts";
import { OutputTail, type TailSnapshot } from "./output-tail.ts";
import { OutputSanitizer } from "./sanitize-output.ts";

/** The end of an output, and the place of the whole output. */
export interface CollectedOutput extends TailSnapshot {
  spooled: SpooledOutput;
}

export interface OutputCollectorOptions {
  /** Called with plain text, never empty. */
  onText(text: string, stream: OutputStream): void;
  /** Called when `add` may continue after it returned false. */
  onDrain(): void;
  /** Maximum bytes of output to store. */
  maxFileBytes: number;
}

/** Decodes the output of a command, passes the text on, and keeps the end of it. Longer output is stored in a file, byte by byte as written. */
export class OutputCollector {
  readonly #tail = new OutputTail();
  readonly #spool: OutputSpool;
  readonly #onText: OutputCollectorOptions["onText"];
  // A character or an escape sequence may be split over chunks of one stream, but not over two streams.
  readonly #decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  readonly #sanitizers = { stdout: new OutputSanitizer(), stderr: new OutputSanitizer() };

  constructor({ onText, onDrain, maxFileBytes }: OutputCollectorOptions) {
    this.#onText = onText;
    this.#spool = new OutputSpool({ onDrain, maxBytes: maxFileBytes });
  }

  /** @returns Whether the caller may continue at once; otherwise it waits for `onDrain`. */
  add(chunk: Buffer, stream: OutputStream): boolean {
    const mayContinue = this.#spool.write(chunk);
    this.#addText(this.#decoders[stream].write(chunk), stream);
    return this.#tail.truncated ? this.#spool.spill() && mayContinue : mayContinue;
  }

  /** Ends the output and returns the result. */
  async end(): Promise<CollectedOutput> {
    this.#addText(this.#decoders.stdout.end(), "stdout");
    this.#addText(this.#decoders.stderr.end(), "stderr");
    if (this.#tail.truncated) this.#spool.spill();
    const spooled = await this.#spool.finish(this.#tail.truncated);
    return { ...this.#tail.snapshot(), spooled };
  }

  #addText(decoded: string, stream: OutputStream): void {
    const text = this.#sanitizers[stream].write(decoded);
    if (text === "") return;
    this.#tail.append(text);
    this.#onText(text, stream);
  }
}
