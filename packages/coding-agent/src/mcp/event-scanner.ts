const LF = 0x0a;
const CR = 0x0d;

/** Maximum characters of a line to keep; event ids are shorter. */
const maxHead = 1024;
const byteOrderMark = "\xef\xbb\xbf";

/**
 * Scans a stream of server-sent events in chunks of any size, for the information that is needed to resume it: the id of the last complete
 * event. Also limits the size of the current event. The SDK parses the events.
 */
export class EventScanner {
  readonly #maxEventBytes: number;
  #eventBytes = 0;
  /** The beginning of the line, one character per byte. */
  #head = "";
  #hasCr = false;
  #isFirstLine = true;
  #id: string | undefined;
  #hasData = false;
  #lastId: string | undefined;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  /** The id of the last complete event with an id; undefined before the first. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** @throws {RangeError} When an event is too large. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let cr = bytes.indexOf(CR);
    for (let at = 0; at < bytes.length; ) {
      // The LF of a CRLF does not end another line.
      if (this.#hasCr) {
        this.#hasCr = false;
        if (bytes[at] === LF) {
          at += 1;
          continue;
        }
      }
      if (cr >= 0 && cr < at) cr = bytes.indexOf(CR, at);
      const lf = bytes.indexOf(LF, at);
      const end = lf < 0 || (cr >= 0 && cr < lf) ? cr : lf;
      this.#hold(bytes.subarray(at, end < 0 ? bytes.length : end));
      if (end < 0) return;
      this.#endLine();
      this.#hasCr = end === cr;
      at = end + 1;
    }
  }

  #hold(piece: Buffer): void {
    this.#eventBytes += piece.length;
    if (this.#eventBytes > this.#maxEventBytes) {
      throw new RangeError(`an event has more than ${this.#maxEventBytes / 1024 ** 2} MB`);
    }
    if (this.#head.length < maxHead) this.#head += piece.toString("latin1", 0, maxHead - this.#head.length);
  }

  #endLine(): void {
    const head = this.#isFirstLine && this.#head.startsWith(byteOrderMark) ? this.#head.slice(byteOrderMark.length) : this.#head;
    this.#head = "";
    this.#isFirstLine = false;
    if (head === "") this.#endEvent();
    else if (head.startsWith("id:")) this.#id = Buffer.from(head.slice(head[3] === " " ? 4 : 3), "latin1").toString("utf8");
    else if (head.startsWith("data:") || head === "data") this.#hasData = true;
  }

  #endEvent(): void {
    if (this.#hasData && this.#id) this.#lastId = this.#id;
    this.#id = undefined;
    this.#hasData = false;
    this.#eventBytes = 0;
  }
}
