export interface ReadBodyOptions {
  /** Maximum bytes to read, after decompression. */
  maxBytes: number;
  /** Maximum time in milliseconds. Default: no limit. */
  maxMs?: number | undefined;
  /** An abort ends the reading; the text so far is returned. */
  signal?: AbortSignal | undefined;
}

export interface BodyText {
  /** The body as UTF-8, up to the limit. */
  text: string;
  /** Whether the reading ended before the end of the body. */
  isCut: boolean;
}

/**
 * Reads the beginning of a body and cancels the rest. Use it for every body that is not an event stream: a server may send more than fits
 * into memory, and a few compressed kilobytes may expand to gigabytes.
 *
 * @throws The error of the body.
 */
export async function readBody(body: Response["body"], options: ReadBodyOptions): Promise<BodyText> {
  if (!body) return { text: "", isCut: false };
  const { maxBytes, maxMs, signal } = options;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  let isCut = false;
  const stop = () => {
    isCut = true;
    reader.cancel().catch(() => {}); // the connection has already broken
  };
  const timer = maxMs === undefined ? undefined : setTimeout(stop, maxMs);
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    while (!isCut) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(decoder.decode(value.subarray(0, maxBytes - bytes), { stream: true }));
      bytes += value.length;
      if (bytes > maxBytes) stop();
    }
    return { text: pieces.join("") + decoder.decode(), isCut };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
