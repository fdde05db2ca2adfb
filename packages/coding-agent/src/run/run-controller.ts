import type { Agent, AgentMessage } from "@pikit/agent";
import { SessionError } from "../errors.ts";

/** A prompt that was accepted. */
export interface PromptRun {
  /** Resolves when nothing that the prompt started is at work any more. Never rejects: failures are in the transcript. */
  settled: Promise<void>;
}

/** One run at a time, from the acceptance of its prompt until it has settled. */
export class RunController {
  readonly #agent: Agent;
  readonly #onSettled: () => void | Promise<void>;
  #active: Promise<void> | undefined;

  /** @param onSettled - Called as the last act of each run. */
  constructor(agent: Agent, onSettled: () => void | Promise<void>) {
    this.#agent = agent;
    this.#onSettled = onSettled;
  }

  /** Whether a prompt has been accepted and has not settled. */
  get isActive(): boolean {
    return this.#active !== undefined;
  }

  /**
   * Accepts a prompt and starts its run.
   *
   * @param prepare - Stores the prompt, and gets ready what its run needs. The prompt is accepted when it resolves, refused when it rejects.
   * @param signal - Aborts the run; may have been aborted before it starts.
   * @throws {SessionError} `busy` while a run is going.
   */
  async start(prepare: () => Promise<AgentMessage>, signal?: AbortSignal): Promise<PromptRun> {
    if (this.isActive) {
      throw new SessionError("busy", "The agent is working on another prompt. Wait until it has settled, or abort it first.");
    }
    const settled = Promise.withResolvers<void>();
    this.#active = settled.promise;
    let message: AgentMessage;
    try {
      message = await prepare();
    } catch (error) {
      this.#active = undefined;
      settled.resolve();
      throw error;
    }
    void this.#run(message, signal).then(settled.resolve);
    return { settled: settled.promise };
  }

  /** Aborts the run that is going, if any, and resolves when it has settled. */
  async abort(): Promise<void> {
    this.#agent.abort();
    await this.waitForIdle();
  }

  /** Resolves when no run is going. */
  async waitForIdle(): Promise<void> {
    while (this.#active !== undefined) await this.#active;
  }

  async #run(message: AgentMessage, signal: AbortSignal | undefined): Promise<void> {
    const abort = () => this.#agent.abort(signal?.reason);
    try {
      const run = this.#agent.prompt(message);
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted) abort();
      await run;
    } finally {
      signal?.removeEventListener("abort", abort);
      await this.#onSettled();
      this.#active = undefined;
    }
  }
}
