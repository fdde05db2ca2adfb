/** What is said about an error on stderr: one sentence, and where it came from with `PI_DEBUG=1`. */
export function describeError(error: unknown): string {
  if (process.env.PI_DEBUG === "1" && error instanceof Error) return error.stack ?? error.message;
  if (error instanceof Error) return error.message;
  return String(error);
}
