/** The text of an error for stderr: its message, or with `PI_DEBUG=1` its stack. */
export function describeError(error: unknown): string {
  if (process.env.PI_DEBUG === "1" && error instanceof Error) return error.stack ?? error.message;
  if (error instanceof Error) return error.message;
  return String(error);
}
