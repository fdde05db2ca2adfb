import type { AiError } from "./errors.ts";
import { EventStream } from "./event-stream.ts";
import type { AnswerObserver, AssistantMessage, AssistantMessageEvent } from "./types.ts";

/**
 * The answer of one model call. Iterating never throws and `result()` never rejects: a failed call ends with an `error` event, and its
 * message has the `stopReason` `error` or `aborted`.
 */
export class AssistantMessageEventStream extends EventStream<AssistantMessageEvent, AssistantMessage> {
  /** The error of a failed call; set before the `error` event. Branch on its `code`. */
  failure: AiError | undefined;
}

/** A stream that tells an observer about the first content and about the end. */
export class ObservedStream extends AssistantMessageEventStream {
  readonly #observer: AnswerObserver;
  #hasContent = false;

  constructor(observer: AnswerObserver) {
    super();
    this.#observer = observer;
  }

  override push(event: AssistantMessageEvent): void {
    if (!this.#hasContent && "contentIndex" in event) {
      this.#hasContent = true;
      this.#observer.onContent?.();
    }
    super.push(event);
  }

  override end(result: AssistantMessage): void {
    if (!this.isSettled) this.#observer.onEnd?.(result, this.failure);
    super.end(result);
  }
}
