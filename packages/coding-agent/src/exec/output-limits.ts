/** The maximum text of a tool result. */
export interface OutputLimits {
  maxLines: number;
  /** UTF-8 bytes, not characters. */
  maxBytes: number;
}

/** 2000 lines or 50 KB, whichever comes first: some 12,000 tokens at most. */
export const defaultOutputLimits: OutputLimits = { maxLines: 2000, maxBytes: 50 * 1024 };
