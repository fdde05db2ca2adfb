import { toAiError } from "../../src/classify.ts";
import { type AiError, AssistantMessageEventStream, MessageAssembler, type Model } from "../../src/index.ts";

/** Drives an event reader without HTTP: wire events in, the finished stream out. What the reader throws ends the stream. */
export function replay(
  model: Model,
  createReader: (assembler: MessageAssembler, model: Model) => { read(data: string): boolean },
  events: unknown[],
): { stream: AssistantMessageEventStream; stoppedAt: number } {
  const stream = new AssistantMessageEventStream();
  const assembler = new MessageAssembler(model, stream);
  const reader = createReader(assembler, model);
  let stoppedAt = -1;
  try {
    stoppedAt = events.findIndex((event) => reader.read(typeof event === "string" ? event : JSON.stringify(event)));
  } catch (error) {
    assembler.fail(toAiError(error, model));
  }
  return { stream, stoppedAt };
}

/** The code, message and so on of a stream that failed. */
export function failureOf(stream: AssistantMessageEventStream): AiError {
  if (!stream.failure) throw new Error("the stream did not fail");
  return stream.failure;
}
