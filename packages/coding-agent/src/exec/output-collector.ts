import { StringDecoder } from "node:string_decoder";
import type { OutputStream } from "./output-channels.ts";
import { OutputSpool, type SpooledOutput } from "./output-spool.ts";
import { OutputTail, type TailSnapshot } from "./output-tail.ts";
import { OutputSanitizer } from "./sanitize-output.ts";

/** The end of an output, and where all of it is. */
export interface CollectedOutput extends TailSnapshot {
  spooled: SpooledOutput;
}

export interface OutputCollectorOptions {
  /** Gets plain text, never empty. */
  onText(text: string, stream: OutputStream): void;
  /** `add` may go on after it returned false. */
  onDrain(): void;
  /** Bytes of output that are stored at most. */
  maxFileBytes: number;
}

/** Takes the bytes of a command, passes their text on, and keeps the end of it; all bytes are in a file when the end is not all. */
export class OutputCollector {
  readonly #tail = new OutputTail();
  readonly #spool: OutputSpool;
  readonly #onText: OutputCollectorOptions["onText"];
  // A character or an escape sequence may be split over chunks of one stream, never over two streams.
  readonly #decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  readonly #sanitizers = { stdout: new OutputSanitizer(), stderr: new OutputSanitizer() };

  constructor({ onText, onDrain, maxFileBytes }: OutputCollectorOptions) {
    this.#onText = onText;
    this.#spool = new OutputSpool({ onDrain, maxBytes: maxFileBytes });
  }

  /** @returns Whether more may come at once; if not, wait for `onDrain`. */
  add(chunk: Buffer, stream: OutputStream): boolean {
    const mayGoOn = this.#spool.write(chunk);
    this.#addText(this.#decoders[stream].write(chunk), stream);
    return this.#tail.truncated ? this.#spool.spill() && mayGoOn : mayGoOn;
  }

  /** Nothing more comes. */
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
