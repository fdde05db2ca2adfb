import type { FailedAnswer } from "@pikit/agent";
import type { AssistantMessage } from "@pikit/ai";
import type { AutoRetryEvent } from "../protocol/events.ts";

export interface RetrySettings {
  /** Default true. */
  enabled: boolean;
  /** Maximum number of retries. Default 3. */
  maxRetries: number;
  /** Milliseconds before the first retry. Each further delay is twice as long. Default 2000. */
  baseDelayMs: number;
}

export const defaultRetrySettings: RetrySettings = { enabled: true, maxRetries: 3, baseDelayMs: 2000 };

/** The longest delay, in milliseconds. If the provider asks for a longer one, there is no retry. */
const maxDelayMs = 60_000;

/**
 * Retries model calls after temporary failures, with exponential delays and jitter, or the delay that the provider asks for. Nothing else
 * retries: the provider SDKs do not.
 *
 * Each cycle emits one or more `auto_retry_start` and then exactly one `auto_retry_end`: success, exhausted, or cancelled.
 */
export class AutoRetry {
  readonly #settings: RetrySettings;
  readonly #emit: (event: AutoRetryEvent) => void | Promise<void>;
  #attempt = 0;
  #wait: AbortController | undefined;

  constructor(settings: RetrySettings, emit: (event: AutoRetryEvent) => void | Promise<void>) {
    this.#settings = { ...settings };
    this.#emit = emit;
  }

  get enabled(): boolean {
    return this.#settings.enabled;
  }

  set enabled(enabled: boolean) {
    this.#settings.enabled = enabled;
  }

  /** Waits for the delay and returns whether to retry. Returns false after an abort of the signal or `cancel`. */
  async shouldRetry({ answer, failure }: FailedAnswer, signal: AbortSignal): Promise<boolean> {
    const errorMessage = answer.errorMessage ?? "The answer failed.";
    const { enabled, maxRetries, baseDelayMs } = this.#settings;
    const isTooLong = (failure?.retryAfterMs ?? 0) > maxDelayMs;
    if (!enabled || !failure?.retryable || isTooLong || this.#attempt >= maxRetries) {
      await this.#end(false, errorMessage);
      return false;
    }
    this.#attempt += 1;
    const delayMs = failure.retryAfterMs ?? Math.min(withJitter(baseDelayMs * 2 ** (this.#attempt - 1)), maxDelayMs);
    const wait = new AbortController();
    this.#wait = wait;
    await this.#emit({
      type: "auto_retry_start",
      attempt: this.#attempt,
      maxAttempts: maxRetries,
      delayMs,
      errorMessage,
    });
    const isOver = await sleep(delayMs, [signal, wait.signal]);
    this.#wait = undefined;
    if (!isOver) await this.#end(false, "The retry was cancelled.");
    return isOver;
  }

  /** Call it with each answer. A success or an abort ends the cycle, so that the next failure starts a new one. */
  async observe(answer: AssistantMessage): Promise<void> {
    if (answer.stopReason === "aborted") await this.#end(false, "The run was aborted.");
    else if (answer.stopReason !== "error") await this.#end(true);
  }

  /** Ends the current wait, if any. */
  cancel(): void {
    this.#wait?.abort();
  }

  async #end(success: boolean, finalError?: string): Promise<void> {
    const attempt = this.#attempt;
    if (attempt === 0) return;
    this.#attempt = 0;
    await this.#emit({ type: "auto_retry_end", success, attempt, ...(finalError === undefined ? {} : { finalError }) });
  }
}

/** Shortens the delay by up to a quarter, so that agents that failed at the same time do not retry at the same time. */
function withJitter(delayMs: number): number {
  return Math.round(delayMs * (0.75 + Math.random() * 0.25));
}

/** Resolves with true after the delay, or with false as soon as one of the signals is aborted. */
function sleep(delayMs: number, signals: readonly AbortSignal[]): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isOver: boolean) => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
      resolve(isOver);
    };
    const onAbort = () => finish(false);
    const timer = setTimeout(() => finish(true), delayMs);
    for (const signal of signals) {
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
    }
  });
}
