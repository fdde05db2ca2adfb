import type { AutoRetryEvent } from "../../../protocol/events.ts";
import { type Block, WholeLines } from "../block.ts";
import { cutLine, formatSeconds, toSafeLine, toSafeText, wrap } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";

/** Maximum length of a shown error, in UTF-16 units: some providers answer with a whole page. */
const maxError = 4000;

type RetryStart = Extract<AutoRetryEvent, { type: "auto_retry_start" }>;

/** `failed`: it is not known yet whether the answer is repeated. `retrying`: the next attempt has not answered yet. */
type State =
  | { name: "failed"; error: string }
  | { name: "aborted" }
  | { name: "waiting"; retry: RetryStart; untilMs: number }
  | { name: "retrying"; retry: RetryStart }
  | { name: "nothing" };

/**
 * The end of an answer that failed or was aborted. If the answer is repeated, it is one line, which counts down; otherwise the error, and
 * what the user can do.
 */
export class OutcomeBlock implements Block {
  readonly #theme: Theme;
  readonly #now: () => number;
  #state: State;
  #isDone = false;
  /** Whether the text of the answer comes again. */
  #startsAgain = false;
  readonly #whole = new WholeLines();

  /** @param now - Returns milliseconds. */
  constructor(theme: Theme, now: () => number) {
    this.#theme = theme;
    this.#now = now;
    this.#state = { name: "nothing" };
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Whether the block changes with time. */
  get isWaiting(): boolean {
    return !this.#isDone && this.#state.name === "waiting";
  }

  fail(error: string): void {
    this.#state = { name: "failed", error };
  }

  abort(): void {
    this.#state = { name: "aborted" };
  }

  /** @param hasText - Whether the answer that failed has shown text. */
  retry(event: RetryStart, hasText = false): void {
    this.#startsAgain ||= hasText;
    this.#state = { name: "waiting", retry: event, untilMs: this.#now() + event.delayMs };
  }

  /** The next attempt has begun. */
  begin(): void {
    if (this.#state.name === "waiting") this.#state = { name: "retrying", retry: this.#state.retry };
  }

  /** The answer is not repeated. */
  giveUp(): void {
    if (this.#state.name === "waiting" || this.#state.name === "retrying") this.fail(this.#state.retry.errorMessage);
  }

  /** The block shows nothing, because another one reports what happened. */
  drop(): void {
    this.#state = { name: "nothing" };
    this.#isDone = true;
  }

  end(): void {
    this.#isDone = true;
  }

  takeFinished(width: number): string[] {
    return this.#whole.take(this.isDone, () => this.#lines(width));
  }

  render(width: number): string[] {
    return this.#whole.rest(() => this.#lines(width));
  }

  #lines(width: number): string[] {
    const state = this.#state;
    const theme = this.#theme;
    switch (state.name) {
      case "nothing":
        return [];
      case "aborted":
        return [theme.warning(cutLine("Stopped.", width))];
      case "failed": {
        const lines = wrap(toSafeText(state.error.slice(0, maxError)), width - 2, theme.error);
        const advice = this.#isDone ? wrap(adviceFor(state.error), width - 2, theme.dim) : [];
        return [...lines, ...advice].map((line, index) => (index === 0 ? `${theme.error("✗")} ${line}` : `  ${line}`.trimEnd()));
      }
      default:
        return [this.#retryLine(state, width)];
    }
  }

  /** Rounded up to whole seconds, at least one. */
  #msLeft(untilMs: number): number {
    return Math.max(1, Math.ceil((untilMs - this.#now()) / 1000)) * 1000;
  }

  /** The end of the line counts, so the error is cut. */
  #retryLine(state: Extract<State, { name: "waiting" | "retrying" }>, width: number): string {
    const { attempt, maxAttempts, errorMessage } = state.retry;
    const times = `(${attempt} of ${maxAttempts})`;
    const again = this.#startsAgain ? " The answer starts again." : "";
    const action = this.#isDone
      ? `Tried again ${times}.${again}`
      : state.name === "waiting"
        ? `Trying again in ${formatSeconds(this.#msLeft(state.untilMs))} ${times}.`
        : `Trying again ${times}.`;
    const error = toSafeLine(errorMessage);
    const room = width - action.length - 3;
    const sentence = room < 8 ? "" : `${cutLine(/[.!?…]$/.test(error) ? error : `${error}.`, room)} `;
    return this.#theme.warning(cutLine(`↻ ${sentence}${action}`, width));
  }
}

/** Advice for the user, by the words that providers and our own errors use. */
const advices: readonly (readonly [words: RegExp, advice: string])[] = [
  [
    /API key|\b40[13]\b|authentication|unauthori[sz]ed|permission/i,
    "Check the key: `pi login` stores one, `pi doctor` shows which are set.",
  ],
  [/context window|too long|prompt is too/i, "Use /compact to shorten the conversation, or /new to start another one."],
  [
    /rate.?limit|\b429\b|quota|overloaded|\b5\d\d\b/i,
    "Wait a while and send a message to continue, or choose another model with /model.",
  ],
  [/network|connection|No answer from|timed? ?out/i, "Check the connection, then send a message to continue."],
];

function adviceFor(error: string): string {
  const found = advices.find(([words]) => words.test(error.slice(0, maxError)));
  return found?.[1] ?? "Send a message to continue, or choose another model with /model.";
}
