import { AssistantMessageEventStream, ObservedStream } from "./assistant-stream.ts";
import { environmentKey } from "./auth.ts";
import { AiError } from "./errors.ts";
import { ownTurn } from "./own-turn.ts";
import { loadAdapter } from "./recording/call-interceptor.ts";
import type { AssistantMessage, Context, Model, StreamOptions } from "./types.ts";

/**
 * Calls a model and returns its answer as a stream. Never throws: a failure before or during the answer ends the stream with an `error`
 * event.
 */
export function stream(model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream {
  const { observer } = options;
  const events = observer ? new ObservedStream(observer) : new AssistantMessageEventStream();
  // It rejects only if a file of this package is missing.
  run(model, context, options, events).catch((error: unknown) => events.fail(error));
  return events;
}

/** Calls a model and waits for the complete answer. Never rejects: see `stopReason` and `errorMessage`. */
export function complete(model: Model, context: Context, options: StreamOptions = {}): Promise<AssistantMessage> {
  return stream(model, context, options).result();
}

async function run(model: Model, context: Context, options: StreamOptions, events: AssistantMessageEventStream): Promise<void> {
  const { signal } = options;
  // Loaded with the first call: a process that only waits for prompts starts without it.
  const { MessageAssembler } = await import("./assembler.ts");
  const assembler = new MessageAssembler(model, events);
  // An abort ends the answer at once, without waiting for the adapter to close its connection.
  const abort = () => assembler.fail(new AiError("aborted", "The request was aborted.", { cause: signal?.reason }));
  if (signal?.aborted) return abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const adapter = await loadAdapter(model);
    await ownTurn();
    if (assembler.isEnded) return;
    const apiKey = options.apiKey ?? environmentKey(model.provider);
    await adapter({ model, context, options: apiKey === undefined ? options : { ...options, apiKey } }, assembler);
    if (assembler.isEnded) return;
    assembler.fail(new AiError("bad_response", `${model.provider} ended the stream before the answer was complete.`));
  } catch (error) {
    // Loaded here, because a program that calls no model does not need it.
    const { toAiError } = await import("./classify.ts");
    assembler.fail(toAiError(error, model));
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
