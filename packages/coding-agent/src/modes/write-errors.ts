/** The error codes after the reader has closed its end: a closed pipe, a reset connection, a closed terminal. */
const goneCodes: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "EIO"]);

/** The code of a write error; undefined if only the reader has closed its end. */
export function failureOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return goneCodes.has(code) ? undefined : code;
}

/** Whether an error means that the output is full, so that the write can be retried. */
export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EAGAIN" || code === "ENOBUFS";
}

/** Milliseconds before a retry; no event reports that a full output has room again. */
const fullWaitMs = 10;

/** Resolves when it is time to retry a write to a full output. */
export function untilRetry(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, fullWaitMs));
}
