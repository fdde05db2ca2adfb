import type { Signal } from "./abort-signal.ts";
import { RpcAbortError } from "./errors.ts";

/** Waits for `promise`; rejects as soon as the signal is aborted. @param command - The name of the call, for the error. */
export async function orAborted<T>(promise: Promise<T>, command: string, signal: Signal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new RpcAbortError(command, signal.reason));
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
