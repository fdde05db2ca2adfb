import type { FailedAnswer } from "@pikit/agent";
import type { AssistantMessage } from "@pikit/ai";
import type { AutoRetryEvent } from "../protocol/events.ts";

export interface RetrySettings {
  /** Default true. */
  enabled: boolean;
  /** Attempts after the first. Default 3. */
  maxRetries: number;
  /** Milliseconds before the first retry; doubles with each. Default 2000. */
  baseDelayMs: number;
}

export const defaultRetrySettings: RetrySettings = { enabled: true, maxRetries: 3, baseDelayMs: 2000 };

/** The longest wait, in milliseconds. Who asks for more is not asked again. */
const maxDelayMs = 60_000;

/**
 * Asks again after an answer that failed for a passing reason: exponential delays with jitter, or what the provider asked for. The only
 * place that retries; the provider SDKs do not.
 *
 * Each cycle is one or more `auto_retry_start` and then exactly one `auto_retry_end`: success, exhausted, or cancelled.
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

  /** Whether to ask again; waits first. An abort of the signal, or `cancel`, ends the wait with no. */
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

  /** Tells of an answer, so that a cycle that it ends is closed and the next failure starts counting anew. */
  async observe(answer: AssistantMessage): Promise<void> {
    if (answer.stopReason === "aborted") await this.#end(false, "The run was aborted.");
    else if (answer.stopReason !== "error") await this.#end(true);
  }

  /** Ends the wait that is going, if any. */
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

/** A quarter less at most, so that a thousand agents that failed together do not come back together. */
function withJitter(delayMs: number): number {
  return Math.round(delayMs * (0.75 + Math.random() * 0.25));
}

/** Resolves with true when the time is over, with false as soon as one of the signals is aborted. */
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
