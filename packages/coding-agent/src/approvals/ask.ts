import { type ApprovalAnswer, type ApprovalQuestion, askForApproval, canConfirm, type UserInterface } from "../user-interface.ts";

/** The default timeout of a question. */
const defaultTimeoutMs = 10 * 60 * 1000;

/**
 * `session` and `never`: yes and no, also for similar calls. `always` and `forbid`: the same in later sessions, too. `absent`: there is no user,
 * or the user interface has failed.
 */
export interface Answer {
  kind: "yes" | "session" | "always" | "no" | "never" | "forbid" | "timeout" | "absent" | "aborted";
  /** The user's reason for a no, for the model. */
  reason?: string;
}

/** Called with the outcome of a question that was shown to the user. */
export type QuestionEnd = (answer: Answer["kind"]) => void;

type LastingAnswer = "session" | "never" | "always" | "forbid";

/** The user's answers, as far as they are about one call. */
export interface AnswerMemory {
  /** The earlier answer about the call; undefined if there is none. */
  recall(): Promise<"yes" | "no" | undefined>;
  /** Allows or refuses similar calls: until the session ends, or always. */
  remember(answer: LastingAnswer): Promise<void>;
}

/** Maximum characters of the user's reason. */
const maxReason = 2000;

/** Asks the user one question at a time, even with parallel calls, because some user interfaces cannot distinguish two questions. */
export class Asker {
  readonly #user: UserInterface;
  readonly #timeoutMs: number;
  readonly #onQuestion: ((question: ApprovalQuestion) => QuestionEnd | undefined) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param timeoutMs - Counted from the display of the question. Default: 10 minutes.
   * @param onQuestion - Called when a question is shown; its result is called with the answer. Both must not throw.
   */
  constructor(
    user: UserInterface,
    timeoutMs: number = defaultTimeoutMs,
    onQuestion?: (question: ApprovalQuestion) => QuestionEnd | undefined,
  ) {
    this.#user = user;
    this.#timeoutMs = timeoutMs;
    this.#onQuestion = onQuestion;
  }

  /**
   * Asks a question. Never rejects. An abort resolves it at once, even while it waits for earlier questions.
   *
   * @param memory - The user's earlier answers. Used when it is the turn of the question.
   */
  async ask(question: ApprovalQuestion, signal: AbortSignal, memory: AnswerMemory): Promise<Answer> {
    if (!canConfirm(this.#user)) return { kind: "absent" };
    const aborted = whenAborted(signal);
    const turn = this.#last.then(async (): Promise<Answer> => {
      const earlier = await memory.recall();
      if (earlier !== undefined) return { kind: earlier };
      const ended = this.#onQuestion?.(question);
      const answer = await this.#put(question, signal, aborted.answer);
      ended?.(answer.kind);
      // Before the turn of the next question, which may be about a similar call.
      if (isLasting(answer.kind)) await memory.remember(answer.kind);
      return answer;
    });
    this.#last = turn;
    try {
      return await Promise.race([turn, aborted.answer]);
    } finally {
      aborted.stop();
    }
  }

  async #put(question: ApprovalQuestion, signal: AbortSignal, aborted: Promise<Answer>): Promise<Answer> {
    if (signal.aborted) return { kind: "aborted" };
    // Closes the question in a user interface that ignores the timeout.
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<Answer>((resolve) => {
      timer = setTimeout(resolve, this.#timeoutMs, { kind: "timeout" });
    });
    try {
      const options = { signal: AbortSignal.any([signal, late.signal]), timeoutMs: this.#timeoutMs };
      const asked = askForApproval(this.#user, question, options).then(toAnswer, (): Answer => ({ kind: "absent" }));
      return await Promise.race([asked, timeout, aborted]);
    } finally {
      clearTimeout(timer);
      late.abort();
    }
  }
}

function isLasting(kind: Answer["kind"]): kind is LastingAnswer {
  return kind === "session" || kind === "never" || kind === "always" || kind === "forbid";
}

/** User interfaces of other programs may answer anything; what is not an answer is a no. */
function toAnswer(answer: ApprovalAnswer): Answer {
  const { decision } = answer;
  if (decision === "once") return { kind: "yes" };
  const kind = isLasting(decision) ? decision : "no";
  if (kind === "session" || kind === "always") return { kind };
  const reason = "reason" in answer ? answer.reason?.trim().slice(0, maxReason) : undefined;
  return { kind, ...(reason ? { reason } : {}) };
}

function whenAborted(signal: AbortSignal): { answer: Promise<Answer>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const onAbort = () => resolve({ kind: "aborted" });
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return { answer: promise, stop: () => signal.removeEventListener("abort", onAbort) };
}
