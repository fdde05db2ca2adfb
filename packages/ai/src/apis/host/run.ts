import type { HostModelCall, HostModelEvent, HostModelFrame, HostModelResult, HostModelUsage } from "./frames.ts";

/** The values that a model function can yield: a step of the answer, the usage so far, or the result, which comes last. */
export type HostModelOutput = HostModelEvent | { usage: HostModelUsage } | HostModelResult;

/** A streamed answer. The result is the last value, or the return value of a generator. */
export type HostModelStream = AsyncIterable<HostModelOutput>;

/**
 * Answers one call: with a stream, or with a result that has the whole content. A thrown error is the failure of the call; its boolean fields
 * `retryable` (or `isRetryable`) and `overflow` count as in `HostModelFailure`.
 */
export type HostModelFunction = (
  call: HostModelCall,
) => HostModelStream | HostModelResult | Promise<HostModelStream | HostModelResult>;

/** Runs a model function and sends its answer as frames. Never rejects. After an abort of the call it sends nothing. */
export async function runHostModel(
  run: HostModelFunction,
  call: HostModelCall,
  receive: (frame: HostModelFrame) => void,
): Promise<void> {
  const { signal } = call;
  const send = (frame: HostModelFrame) => {
    if (!signal.aborted) receive(frame);
  };
  try {
    const answer = await run(call);
    const result = isStream(answer) ? await sendStream(answer, signal, send) : answer;
    if (result === undefined && !signal.aborted) throw new Error("The model function ended without a result (stopReason).");
    if (result !== undefined) send({ ...result, type: "host_model_result" });
  } catch (error) {
    send(toErrorFrame(error));
  }
}

/** @returns The result; undefined if there is none, or the call was aborted. */
async function sendStream(
  stream: HostModelStream,
  signal: AbortSignal,
  send: (frame: HostModelFrame) => void,
): Promise<HostModelResult | undefined> {
  const iterator: AsyncIterator<HostModelOutput, unknown> = stream[Symbol.asyncIterator]();
  // Ends a generator that ignores the signal.
  const stop = () => void Promise.resolve(iterator.return?.()).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    while (!signal.aborted) {
      const { value, done } = await iterator.next();
      // The reader refuses values that are no result.
      if (done) return (value ?? undefined) as HostModelResult | undefined;
      if ("stopReason" in value) {
        stop();
        return value;
      }
      if ("type" in value) send({ type: "host_model_event", event: value });
      else send({ type: "host_model_event", usage: value.usage });
    }
    return undefined;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function isStream(answer: HostModelStream | HostModelResult): answer is HostModelStream {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

/** Converts a thrown error. */
export function toErrorFrame(error: unknown): HostModelFrame {
  const fields = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
  const retryable = [fields.retryable, fields.isRetryable].find((flag) => typeof flag === "boolean") as boolean | undefined;
  const overflow = fields.overflow === true || fields.code === "context_overflow";
  const message = error instanceof Error ? error.message || error.name : String(error);
  return {
    type: "host_model_error",
    message,
    ...(retryable !== undefined && { retryable }),
    ...(overflow && { overflow }),
  };
}
