import { AutoRetry, type RetrySettings } from "../../run/auto-retry.ts";
import type { SessionEvents } from "../events.ts";

/** The automatic retries of a session: of answers, and of the model calls that write summaries. */
export class SessionRetries {
  readonly answers: AutoRetry;
  /** Apart from the answers': a compaction may happen between the retries of an answer. */
  readonly summaries: AutoRetry;

  constructor(settings: RetrySettings, { emit }: SessionEvents) {
    this.answers = new AutoRetry(settings, emit);
    this.summaries = new AutoRetry(settings, emit);
  }

  /** Whether model calls that failed for a passing reason are repeated. */
  get enabled(): boolean {
    return this.answers.enabled;
  }

  setEnabled(enabled: boolean): void {
    for (const retry of [this.answers, this.summaries]) retry.enabled = enabled;
  }

  /** Ends a wait before a retry; the run ends with the answer that failed. */
  cancel(): void {
    for (const retry of [this.answers, this.summaries]) retry.cancel();
  }
}
