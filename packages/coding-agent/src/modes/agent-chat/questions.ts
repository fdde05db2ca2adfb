import { absentUser, type ClarificationAnswer, type DialogOptions, type UserInterface } from "../../user-interface.ts";
import type { ChatEvent, Params } from "./protocol.ts";

/** The longest delay that a timer takes, in milliseconds; a longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Which request answers a question. */
export type AnswerName = "confirm" | "clarify";

interface OpenQuestion {
  answer: AnswerName;
  close(params: Params<AnswerName> | undefined): void;
}

/**
 * Asks the client what the session asks its user: yes or no before a risky call, and how to go on at a limit. One question at a time,
 * whatever runs at once, since answers do not say what they answer. No answer means no, and stop.
 */
export class Questions {
  /** What the session is made with. */
  readonly user: UserInterface = {
    ...absentUser,
    confirm: async ({ title, message, riskTier }, options) => {
      const data = { prompt: `${title}\n\n${message}`, ...(riskTier ? { risk_tier: riskTier } : {}) };
      const answer = await this.#ask("confirm", { event: "confirmation_request", data }, options);
      return (answer as Params<"confirm"> | undefined)?.approved === true;
    },
    clarify: async ({ reason, message, suggestions }, options) => {
      const data = { reason, message, suggestions: [...suggestions] };
      const answer = await this.#ask("clarify", { event: "clarification_request", data }, options);
      return toClarification(answer as Params<"clarify"> | undefined);
    },
  };
  readonly #send: (event: ChatEvent) => void;
  #open: OpenQuestion | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(send: (event: ChatEvent) => void) {
    this.#send = send;
  }

  /** Whether a question waits that this request answers. */
  isOpen(answer: AnswerName): boolean {
    return this.#open?.answer === answer;
  }

  /** Answers the question that waits, if it is one for this request. */
  answer<N extends AnswerName>(name: N, params: Params<N>): void {
    if (this.isOpen(name)) this.#open?.close(params);
  }

  /** What came cannot be an answer: the question that waits, if any, is answered with no. */
  refuse(): void {
    this.#open?.close(undefined);
  }

  /** Nobody answers any more. */
  close(): void {
    this.#isClosed = true;
    this.refuse();
  }

  #ask(answer: AnswerName, request: ChatEvent, options: DialogOptions = {}): Promise<Params<AnswerName> | undefined> {
    const turn = this.#last.then(() => this.#put(answer, request, options));
    this.#last = turn;
    return turn;
  }

  #put(
    answer: AnswerName,
    request: ChatEvent,
    { signal, timeoutMs }: DialogOptions,
  ): Promise<Params<AnswerName> | undefined> | undefined {
    if (this.#isClosed || signal?.aborted) return undefined;
    return new Promise((resolve) => {
      const close = (params: Params<AnswerName> | undefined) => {
        this.#open = undefined;
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        resolve(params);
      };
      const onAbort = () => close(undefined);
      const timer = timeoutMs === undefined ? undefined : setTimeout(onAbort, Math.min(timeoutMs, maxTimerMs));
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#open = { answer, close };
      this.#send(request);
    });
  }
}

function toClarification(answer: Params<"clarify"> | undefined): ClarificationAnswer {
  if (answer?.action !== "continue") return { action: "stop" };
  return { action: "continue", ...(answer.hint === undefined ? {} : { hint: answer.hint }) };
}
