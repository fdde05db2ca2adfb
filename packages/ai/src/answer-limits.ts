const mebi = 1024 ** 2;

/**
 * Limits on the data that we accept from a provider. They are a hundred times what any model writes, so only a broken or hostile server
 * reaches them. Bytes are counted after decompression.
 */
export const answerLimits = {
  /** Bytes of a response that is not a stream, such as an error; the rest is not read. */
  bodyBytes: mebi / 4,
  /** Milliseconds from the headers of such a response to its end. */
  bodyMs: 10_000,
  /** Characters of one event of a stream. */
  eventLength: 16 * mebi,
  /** Bytes of a stream. */
  streamBytes: 256 * mebi,
  /** Characters of an answer: text, thinking, tool-call arguments and signatures. */
  answerLength: 16 * mebi,
} as const;

/** Characters that each block adds to the length of an answer, besides its content. */
export const blockLength = 256;
