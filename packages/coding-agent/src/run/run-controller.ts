import type { Agent, AgentHooks, AgentMessage } from "@pikit/agent";
import { SessionError } from "../errors.ts";

/** A prompt that was accepted. */
export interface PromptRun {
  /** Resolves when nothing that the prompt started is at work any more. Never rejects: failures are in the transcript. */
  settled: Promise<void>;
}

/** What happens around the agent's own run. None of it may reject. */
export interface RunPhases {
  /** Makes ready for an accepted prompt, and what goes in front of it. Resolves with the messages that the run begins with. */
  before(messages: readonly AgentMessage[], signal: AbortSignal): Promise<AgentMessage[]>;
  /** After the agent's run, before another can start. */
  after(signal: AbortSignal): Promise<void>;
  /** The last act; from here on another run can start. */
  settled(): void | Promise<void>;
}

const busyText =
  'The agent is working on another prompt. To queue this one, give streamingBehavior: "steer" puts it in before the next model call, ' +
  '"followUp" when the run would end. Or wait until the run has settled, or abort it first.';

/** One run at a time, from the acceptance of its prompt until it has settled. */
export class RunController {
  readonly #agent: Agent;
  readonly #hooks: AgentHooks;
  readonly #phases: RunPhases;
  #active: { controller: AbortController; settled: Promise<void> } | undefined;
  #isClosed = false;
  /** Calls of `between` that are going; while there are any, no run starts. */
  #replacements = 0;

  /** @param hooks - Decide during the agent's runs. */
  constructor(agent: Agent, hooks: AgentHooks, phases: RunPhases) {
    this.#agent = agent;
    this.#hooks = hooks;
    this.#phases = phases;
  }

  /** Whether a prompt has been accepted and has not settled. */
  get isActive(): boolean {
    return this.#active !== undefined;
  }

  /**
   * Accepts a prompt and starts its run one turn of the event loop later, so that whoever waits for the acceptance can tell of it before
   * the first event.
   *
   * @param prepare - Stores the prompt, and gets ready what its run needs; is given the function that aborts the run. The prompt is
   *   accepted when it resolves, refused when it rejects.
   * @param signal - Aborts the run; may have been aborted before it starts.
   * @throws {SessionError} `busy` while a run is going; `disposed` after `close`.
   */
  async start(prepare: (abort: () => void) => Promise<readonly AgentMessage[]>, signal?: AbortSignal): Promise<PromptRun> {
    if (this.#isClosed) throw new SessionError("disposed", "The session was disposed of. Create another one.");
    if (this.#replacements > 0) {
      throw new SessionError("busy", "The session is going over to another conversation. Send the prompt again when it is there.");
    }
    if (this.#active) throw new SessionError("busy", busyText);
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const controller = new AbortController();
    this.#active = { controller, settled };
    try {
      const messages = await prepare(() => controller.abort());
      const signals = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
      setImmediate(() => void this.#run(messages, signals).finally(settle));
    } catch (error) {
      this.#active = undefined;
      settle();
      throw error;
    }
    return { settled };
  }

  /** Aborts the run that is going, if any, and resolves when it has settled. */
  async abort(): Promise<void> {
    const run = this.#active;
    run?.controller.abort();
    await run?.settled;
  }

  /** Aborts the run that is going and does `work` before another can start. Resolves with what that returns. */
  async between<T>(work: () => T | Promise<T>): Promise<T> {
    this.#replacements += 1;
    try {
      await this.abort();
      return await work();
    } finally {
      this.#replacements -= 1;
    }
  }

  /** Aborts the run that is going and lets no other start. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.abort();
  }

  /** Resolves when no run is going. */
  async waitForIdle(): Promise<void> {
    while (this.#active !== undefined) await this.#active.settled;
  }

  #hasAnswer(): boolean {
    const last = this.#agent.state.messages.at(-1);
    return last?.role === "assistant" && last.stopReason !== "error" && last.stopReason !== "aborted";
  }

  async #run(messages: readonly AgentMessage[], signal: AbortSignal): Promise<void> {
    const abort = () => this.#agent.abort(signal.reason);
    try {
      const prompts = await this.#phases.before(messages, signal);
      const run = this.#agent.run(prompts, this.#hooks);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
      await run;
      // What a run that was stopped has left behind waits for the next prompt; what is queued after its end is done at once.
      const waits = this.#agent.queuedCount > 0;
      await this.#phases.after(signal);
      while (!waits && this.#agent.queuedCount > 0 && !signal.aborted && this.#hasAnswer()) {
        await this.#agent.continue(this.#hooks);
        await this.#phases.after(signal);
      }
    } finally {
      signal.removeEventListener("abort", abort);
      this.#active = undefined;
      await this.#phases.settled();
    }
  }
}
