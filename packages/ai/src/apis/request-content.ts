/** The length from which a body is sent as a stream of its pieces. A shorter one is sent as one text. */
const leastStreamed = 64 * 1024;

/** The JSON text of a request, in pieces: most of a long conversation stays the same from request to request, and is not copied. */
export class RequestContent {
  readonly #pieces: readonly (string | Uint8Array)[];

  private constructor(pieces: readonly (string | Uint8Array)[]) {
    this.#pieces = pieces;
  }

  /** The content of a body that is not in pieces. */
  static of(body: unknown): RequestContent {
    return new RequestContent([JSON.stringify(body)]);
  }

  /**
   * The content of a body whose list of messages lacks the items in `kept`.
   *
   * @param items - The last items of the list, at least one.
   * @param kept - The JSON texts of the items before those, each followed by a comma, as UTF-8.
   */
  static join(body: object, items: readonly unknown[], kept: readonly Uint8Array[]): RequestContent {
    // An endpoint may replace the whole list (`compat.body`); then it does not end with these items.
    const list = Object.entries(body).find(
      ([, value]) => Array.isArray(value) && value.length > 0 && value.at(-1) === items.at(-1),
    );
    if (!list || kept.length === 0) return RequestContent.of(body);
    const [name, all] = list as [string, unknown[]];
    const before = all.slice(0, -items.length);
    const fields = Object.entries(body).filter(([, value]) => value !== undefined);
    const place = fields.findIndex(([key]) => key === name);
    const start = [...fields.slice(0, place).map(toField), `${JSON.stringify(name)}:[`].join(",");
    const end = [`${JSON.stringify(items).slice(1)}`, ...fields.slice(place + 1).map(toField)].join(",");
    const own = before.map((item) => `${JSON.stringify(item)},`).join("");
    return new RequestContent([`{${start}${own}`, ...kept, `${end}}`]);
  }

  toText(): string {
    return Buffer.concat(this.#bytes()).toString();
  }

  /** The options of a `fetch` that sends this content once, from those of a `fetch` that would send another body. */
  toInit(init: RequestInit): RequestInit {
    const [first, second] = this.#pieces;
    if (typeof first === "string" && second === undefined && first.length < leastStreamed) return { ...init, body: first };
    const pieces = this.#bytes();
    // Only Node's `fetch` is known to send a stream with the length of the header; others might send it in chunks.
    if (process.versions.undici === undefined) return { ...init, body: Buffer.concat(pieces) };
    const headers = new Headers(init.headers);
    headers.set("content-length", String(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)));
    return { ...init, headers, body: streamOf(pieces), duplex: "half" } as RequestInit;
  }

  #bytes(): Uint8Array[] {
    return this.#pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece));
  }
}

function toField([name, value]: [string, unknown]): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const piece = pieces[next++];
        if (piece) controller.enqueue(piece);
        if (next >= pieces.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
