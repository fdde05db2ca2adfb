/** Maximum bytes of an answer that is not a stream: the messages of a very long session with images. */
const maxBytes = 256 * 1024 * 1024;

/**
 * Reads the body of a response as text.
 *
 * @throws {Error} When the body is over 256 MiB, or the connection breaks.
 */
export async function readText(response: Response): Promise<string> {
  const pieces: string[] = [];
  let bytes = 0;
  await readChunks(response, (text, size) => {
    bytes += size;
    if (bytes > maxBytes) throw new Error("The answer of the server is over the limit of 256 MiB.");
    pieces.push(text);
  });
  return pieces.join("");
}

/**
 * Reads the body of a response as it arrives.
 *
 * @param onText - Called with each piece of text and its size in bytes. If it throws, the reading ends with its error.
 * @throws {Error} When the connection breaks.
 */
export async function readChunks(response: Response, onText: (text: string, bytes: number) => void): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      onText(decoder.decode(value, { stream: true }), value.length);
    }
    onText(decoder.decode(), 0);
  } finally {
    // Ends the request if `onText` has thrown; otherwise it has ended already.
    void reader.cancel().catch(() => {});
  }
}
