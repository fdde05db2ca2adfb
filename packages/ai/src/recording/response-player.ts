import type { Pace } from "./pace.ts";
import type { RecordedResponse } from "./read-recording.ts";
import { unmaskFolder } from "./text-mask.ts";

export interface ResponsePlayerOptions {
  /** Replaces `<cwd>`. */
  folder: string;
  pace: Pace;
  signal: AbortSignal | undefined;
  /** The recorded time of the end of the answer, in milliseconds; undefined if it was not recorded. */
  endMs: number | undefined;
  /** Called when the recorded body stops before the server has ended it. */
  breakOff(): void;
}

/** Creates the recorded response. Its body emits one event per pull. */
export async function replayResponse(response: RecordedResponse, options: ResponsePlayerOptions): Promise<Response> {
  const { pace, signal } = options;
  await pace(response.ms, signal);
  const isEmpty = response.steps.length === 0 && response.ending?.type === "close";
  return new Response(isEmpty ? null : createBody(response, options), { status: response.status, headers: response.headers });
}

function createBody(
  { steps, ending }: RecordedResponse,
  { folder, pace, signal, endMs = 0, breakOff }: ResponsePlayerOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const cancelled = new AbortController();
  const stop = signal ? AbortSignal.any([signal, cancelled.signal]) : cancelled.signal;
  const waiting = steps.values();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value: step } = waiting.next();
        await pace(step?.ms ?? ending?.ms ?? endMs, stop);
        if (step) {
          const text = step.type === "body" ? step.text : toServerSentEvent(step);
          return controller.enqueue(encoder.encode(unmaskFolder(text, folder)));
        }
        if (ending?.type !== "close") breakOff();
        if (ending?.type === "cut") throw new Error("the connection broke");
        controller.close();
      },
      cancel: (reason) => cancelled.abort(reason),
    },
    { highWaterMark: 0 },
  );
}

function toServerSentEvent({ event, data }: { event?: string; data: string }): string {
  const lines = data.split("\n").map((line) => `data: ${line}\n`);
  return `${event === undefined ? "" : `event: ${event}\n`}${lines.join("")}\n`;
}
