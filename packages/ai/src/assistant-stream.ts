import type { AiError } from "./errors.ts";
import { EventStream } from "./event-stream.ts";
import type { AssistantMessage, AssistantMessageEvent } from "./types.ts";

/**
 * The answer of one model call. Iterating never throws and `result()` never rejects: a failed call ends with an `error` event, and its
 * message has the `stopReason` `error` or `aborted`.
 */
export class AssistantMessageEventStream extends EventStream<AssistantMessageEvent, AssistantMessage> {
  /** The error of a failed call; set before the `error` event. Branch on its `code`. */
  failure: AiError | undefined;
}
