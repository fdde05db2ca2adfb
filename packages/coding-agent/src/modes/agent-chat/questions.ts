import { absentUser, type ClarificationAnswer, type DialogOptions, type UserInterface } from "../../user-interface.ts";
import type { ChatEvent, Params } from "./protocol.ts";

/** The maximum delay of a timer in milliseconds; a timer with a longer delay fires at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The name of the request that answers a question. */
export type AnswerName = "confirm" | "clarify";

interface OpenQuestion {
  answer: AnswerName;
  close(params: Params<AnswerName> | undefined): void;
}

/**
 * Sends the questions of the session to the client: whether a risky call may run, and how to continue at a limit. Only one question is open
 * at a time, even with parallel calls, because answers carry no id. Without an answer, `confirm` is no and `clarify` is stop.
 */
export class Questions {
  /** The user interface for the session. */
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

  /** Whether a question is open that this request answers. */
  isOpen(answer: AnswerName): boolean {
    return this.#open?.answer === answer;
  }

  /** Answers the open question, if this request is the right one for it. */
  answer<N extends AnswerName>(name: N, params: Params<N>): void {
    if (this.isOpen(name)) this.#open?.close(params);
  }

  /** Answers the open question, if any, with no; for input that is not a valid answer. */
  refuse(): void {
    this.#open?.close(undefined);
  }

  /** Ends all questions, open and later ones, with the default answer: the client sends no more answers. */
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
