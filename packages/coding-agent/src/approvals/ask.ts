import { type Confirmation, canConfirm, type UserInterface } from "../user-interface.ts";

/** The default timeout of a question. */
const defaultTimeoutMs = 10 * 60 * 1000;

/** `absent`: there is no user, or the user interface has failed. */
export type Answer = "yes" | "no" | "timeout" | "absent" | "aborted";

/** Asks the user one question at a time, even with parallel calls, because some user interfaces cannot distinguish two questions. */
export class Asker {
  readonly #user: UserInterface;
  readonly #timeoutMs: number;
  #last: Promise<unknown> = Promise.resolve();

  /** @param timeoutMs - Counted from the display of the question. Default: 10 minutes. */
  constructor(user: UserInterface, timeoutMs: number = defaultTimeoutMs) {
    this.#user = user;
    this.#timeoutMs = timeoutMs;
  }

  /** Asks a question. Never rejects. An abort resolves it at once, even while it waits for earlier questions. */
  async ask(question: Confirmation, signal: AbortSignal): Promise<Answer> {
    if (!canConfirm(this.#user)) return "absent";
    const aborted = whenAborted(signal);
    const turn = this.#last.then(() => this.#put(question, signal, aborted.answer));
    this.#last = turn;
    try {
      return await Promise.race([turn, aborted.answer]);
    } finally {
      aborted.stop();
    }
  }

  async #put(question: Confirmation, signal: AbortSignal, aborted: Promise<Answer>): Promise<Answer> {
    if (signal.aborted) return "aborted";
    // Closes the question in a user interface that ignores the timeout.
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<Answer>((resolve) => {
      timer = setTimeout(resolve, this.#timeoutMs, "timeout");
    });
    try {
      const options = { signal: AbortSignal.any([signal, late.signal]), timeoutMs: this.#timeoutMs };
      const asked = this.#user.confirm(question, options).then(
        (isYes): Answer => (isYes === true ? "yes" : "no"),
        (): Answer => "absent",
      );
      return await Promise.race([asked, timeout, aborted]);
    } catch {
      // The user interface has thrown synchronously.
      return "absent";
    } finally {
      clearTimeout(timer);
      late.abort();
    }
  }
}

function whenAborted(signal: AbortSignal): { answer: Promise<Answer>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const onAbort = () => resolve("aborted");
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return { answer: promise, stop: () => signal.removeEventListener("abort", onAbort) };
}
