import { ToolError } from "./errors.ts";

/** How long a tool or hook may take after its signal was aborted; then it is left behind and what it gives is ignored. */
const abortGraceMs = 2000;

/**
 * Waits for the work, but after an abort no longer than the grace: what ignores its signal must not hold the run.
 *
 * @param what - Names the work in the error.
 * @throws {ToolError} `aborted` when the work was left behind.
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
