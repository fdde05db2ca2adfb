import { AutoRetry, type RetrySettings } from "../../run/auto-retry.ts";
import type { SessionEvents } from "../events.ts";

/** The automatic retries of a session: of answers, and of model calls for summaries. */
export class SessionRetries {
  readonly answers: AutoRetry;
  /** Separate from `answers`, because a compaction may happen between the retries of an answer. */
  readonly summaries: AutoRetry;

  constructor(settings: RetrySettings, { emit }: SessionEvents) {
    this.answers = new AutoRetry(settings, emit);
    this.summaries = new AutoRetry(settings, emit);
  }

  /** Whether model calls are repeated after temporary failures. */
  get enabled(): boolean {
    return this.answers.enabled;
  }

  setEnabled(enabled: boolean): void {
    for (const retry of [this.answers, this.summaries]) retry.enabled = enabled;
  }

  /** Ends the wait before a retry. The run then ends with the failed answer. */
  cancel(): void {
    for (const retry of [this.answers, this.summaries]) retry.cancel();
  }
}
