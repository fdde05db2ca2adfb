import { ToolError } from "./errors.ts";

/** Milliseconds that a tool or hook may take after an abort; then its result is ignored. */
const abortGraceMs = 2000;

/**
 * Waits for the work, but after an abort no longer than the grace period: a tool or hook that ignores its signal must not block the run.
 *
 * @param what - The name of the work, for the error.
 * @throws {ToolError} `aborted` when the work did not end in the grace period.
 */
export async function withinGrace<T>(what: "the tool" | "a hook", work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const leftBehind = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = () => {
    const error = new ToolError("aborted", `Aborted: ${what} did not stop in time and was left behind.`);
    timer = setTimeout(() => leftBehind.reject(error), abortGraceMs);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), leftBehind.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
  }
}
