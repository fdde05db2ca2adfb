/** Runs a callback of the program. Its mistake must not be taken for the agent's, nor keep others from their events, nor get lost. */
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
