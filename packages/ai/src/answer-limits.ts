const mebi = 1024 ** 2;

/**
 * Most that is taken of what a provider sends. A hundred times what any model writes: only a server that is broken or hostile gets there.
 * Bytes are counted after decompression.
 */
export const answerLimits = {
  /** Bytes of a response that is no stream, such as an error; the rest is not read. */
  bodyBytes: mebi / 4,
  /** Milliseconds that such a response may take once its headers are there. */
  bodyMs: 10_000,
  /** Characters of one event of a stream. */
  eventLength: 16 * mebi,
  /** Bytes of a stream. */
  streamBytes: 256 * mebi,
  /** Characters of an answer: text, thinking, arguments and signatures. */
  answerLength: 16 * mebi,
} as const;

/** Characters that a block counts beside what it holds. */
export const blockLength = 256;
