/** What a reader leaves behind that goes away: a closed pipe, a socket that was reset, a terminal that was hung up. */
const goneCodes: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "EIO"]);

/** The code of an error of writing; undefined when the reader has just gone away. */
export function failureOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return goneCodes.has(code) ? undefined : code;
}

/** Whether it can be tried again. */
export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EAGAIN" || code === "ENOBUFS";
}

/** Milliseconds until what is full is tried again; nothing tells when it has room. */
const fullWaitMs = 10;

/** Resolves when what is full shall be tried again. */
export function untilRetry(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, fullWaitMs));
}
