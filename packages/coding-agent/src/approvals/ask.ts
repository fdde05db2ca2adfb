import { type Confirmation, canConfirm, type UserInterface } from "../user-interface.ts";

/** How long a question waits. */
const defaultTimeoutMs = 10 * 60 * 1000;

/** `absent`: nobody was there, or the question could not be put. */
export type Answer = "yes" | "no" | "timeout" | "absent" | "aborted";

/** Asks a user one question at a time, whatever runs at once: some have no way to tell two apart. */
export class Asker {
  readonly #user: UserInterface;
  readonly #timeoutMs: number;
  #last: Promise<unknown> = Promise.resolve();

  /** @param timeoutMs - From when the question is put. Default: 10 minutes. */
  constructor(user: UserInterface, timeoutMs: number = defaultTimeoutMs) {
    this.#user = user;
    this.#timeoutMs = timeoutMs;
  }

  /** Never rejects. An abort ends it at once, also while it waits for its turn. */
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
    // Takes the question back from a user interface that knows no timeout.
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
      // A user interface that throws before it asks.
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
