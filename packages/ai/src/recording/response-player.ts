import type { Pace } from "./pace.ts";
import type { RecordedResponse } from "./read-recording.ts";
import { unmaskFolder } from "./text-mask.ts";

export interface ResponsePlayerOptions {
  /** Takes the place of `<cwd>`. */
  folder: string;
  pace: Pace;
  signal: AbortSignal | undefined;
  /** When the answer was over; absent when that was not recorded. */
  endMs: number | undefined;
  /** Called where the recording of the body stops and the server had not ended it. */
  breakOff(): void;
}

/** Makes the response that was recorded. Its body comes event by event, as it is asked for. */
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
