import type { AssistantMessageEvent, AssistantMessageEventStream } from "../../src/index.ts";

/** An event without the message it carries, which the last event holds anyway. */
export type Step = Record<string, unknown> & { type: string };

/** Reads a stream to its end. */
export async function collect(stream: AssistantMessageEventStream): Promise<AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The events in order, adjacent deltas of a block joined, without `partial` and final messages. */
export function summarize(events: readonly AssistantMessageEvent[]): Step[] {
  const steps: Step[] = [];
  for (const event of events) {
    const step: Step = { ...event };
    delete step.partial;
    delete step.message;
    delete step.error;
    if (event.type === "toolcall_end") step.toolCall = { name: event.toolCall.name, arguments: event.toolCall.arguments };
    const last = steps.at(-1);
    if (last && event.type.endsWith("_delta") && last.type === event.type && last.contentIndex === step.contentIndex) {
      last.delta = `${last.delta}${step.delta}`;
    } else {
      steps.push(step);
    }
  }
  return steps;
}

/**
 * Checks the grammar of `AssistantMessageEvent`: what it names is thrown as an error.
 *
 * @returns The events, for chaining.
 */
export function checkGrammar(events: readonly AssistantMessageEvent[]): readonly AssistantMessageEvent[] {
  const open = new Map<number, string>();
  let started = false;
  let blockCount = 0;
  for (const [position, event] of events.entries()) {
    const isLast = position === events.length - 1;
    const fail = (why: string) => {
      throw new Error(`event ${position} (${event.type}): ${why}`);
    };
    if (event.type === "done" || event.type === "error") {
      if (!isLast) fail("a terminal event that is not the last");
      if (event.type === "done" && (!started || open.size > 0)) fail("done before start or with open blocks");
      continue;
    }
    if (isLast) fail("the last event is not terminal");
    if (event.type === "start") {
      if (started) fail("a second start");
      started = true;
      continue;
    }
    if (!started) fail("a block event before start");
    const [kind, moment] = event.type.split("_") as [string, string];
    if (moment === "start") {
      if (event.contentIndex !== blockCount) fail("an index that is not the next");
      open.set(event.contentIndex, kind);
      blockCount += 1;
    } else if (open.get(event.contentIndex) !== kind) {
      fail("a block that is not open");
    }
    if (moment === "end") open.delete(event.contentIndex);
  }
  return events;
}
