import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AssistantMessageEvent, type AssistantMessageEventStream, isAiError } from "../../src/index.ts";
import type { RecordingLine } from "../../src/recording/format.ts";

/** A path in a folder of its own, gone after the test. */
export async function freshFile(name = "run.jsonl"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pikit-recording-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, name);
}

export async function readLines(file: string): Promise<RecordingLine[]> {
  const text = await readFile(file, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordingLine);
}

/** Everything that a caller sees of an answer, without ids and times. */
export async function everythingOf(
  answer: AssistantMessageEventStream,
  onEvent: (event: AssistantMessageEvent) => unknown = () => {},
): Promise<unknown> {
  const events: unknown[] = [];
  for await (const event of answer) {
    onEvent(event);
    const { partial: _live, ...step } = { partial: undefined, ...event };
    events.push(structuredClone(step));
  }
  const { failure } = answer;
  const error = isAiError(failure) && {
    code: failure.code,
    message: failure.message,
    retryable: failure.retryable,
    status: failure.status,
    retryAfterMs: failure.retryAfterMs,
  };
  return withoutIds({ events, message: await answer.result(), error });
}

function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === "id" || key === "timestamp" ? undefined : inner)));
}

/** Gives the lines of a recording other times, in milliseconds; lines without a time are not counted. */
export async function retime(file: string, timeOf: (index: number) => number): Promise<void> {
  let index = -1;
  const lines = (await readLines(file)).map((line) => {
    if (!("ms" in line)) return line;
    index += 1;
    return { ...line, ms: timeOf(index) };
  });
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
