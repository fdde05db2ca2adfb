export interface ReadBodyOptions {
  /** Most that is read, in bytes after decompression. */
  maxBytes: number;
  /** Longest that it may take, in milliseconds. Default: no limit. */
  maxMs?: number | undefined;
  /** Its abort ends the reading where it is. */
  signal?: AbortSignal | undefined;
}

export interface BodyText {
  /** As UTF-8; ends where a limit was reached. */
  text: string;
  /** Whether there was more, or might have been. */
  isCut: boolean;
}

/**
 * Reads the beginning of a body, and cancels what is left of it: the one way to read a body that is no stream of events, since a server
 * may send more than there is memory, and a few compressed kilobytes may be gigabytes.
 *
 * @throws What the body fails with.
 */
export async function readBody(body: ReadableStream<Uint8Array> | null, options: ReadBodyOptions): Promise<BodyText> {
  if (!body) return { text: "", isCut: false };
  const { maxBytes, maxMs, signal } = options;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  let isCut = false;
  const stop = () => {
    isCut = true;
    reader.cancel().catch(() => {}); // already broken: nothing is left to cancel
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
