/** Calls a callback of the program. Its error becomes an uncaught exception: it must not look like an agent error or stop other listeners. */
export function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    raise(error);
  }
}

/** Raises an error of a callback as an uncaught exception. */
export function raise(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
