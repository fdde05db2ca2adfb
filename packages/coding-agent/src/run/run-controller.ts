import type { Agent, AgentHooks, AgentMessage } from "@pikit/agent";
import { ownTurn } from "@pikit/ai";
import { SessionError } from "../errors.ts";
import { beginRun } from "../process-work.ts";

/** A prompt that was accepted. */
export interface PromptRun {
  /** Resolves when everything that the prompt started has settled. Never rejects: failures are in the transcript. */
  settled: Promise<void>;
}

/** The phases around the agent's run. They must not reject. */
export interface RunPhases {
  /** Called with an accepted prompt and the messages before it. Resolves with the first messages of the run. */
  before(messages: readonly AgentMessage[], signal: AbortSignal): Promise<AgentMessage[]>;
  /** The number of queued messages when the agent's run ended, before `agent_end` was emitted: extensions may queue others then. */
  queuedAtEnd(): number;
  /** Called after the agent's run, before another can start. */
  after(signal: AbortSignal): Promise<void>;
  /** Called last. Another run can start from now on. */
  settled(): void | Promise<void>;
}

const busyText =
  'The agent is working on another prompt. To queue this one, set streamingBehavior: "steer" sends it before the next model call, ' +
  '"followUp" when the run would end. Or wait until the run has settled, or abort it.';

/** One run at a time, from the acceptance of its prompt until it has settled. */
export class RunController {
  readonly #agent: Agent;
  readonly #hooks: AgentHooks;
  readonly #phases: RunPhases;
  #active: { controller: AbortController; settled: Promise<void> } | undefined;
  #isClosed = false;
  /** The number of active calls of `between`. No run starts while it is not 0. */
  #replacements = 0;

  /** @param hooks - The agent's hooks for all runs. */
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
   * Accepts a prompt and starts its run one turn of the event loop later, so that the caller can report the acceptance before the first
   * event.
   *
   * @param prepare - Stores the prompt and prepares its run. Its argument is the function that aborts the run. The prompt is accepted if
   *   it resolves, and refused if it rejects.
   * @param signal - Aborts the run. It may be aborted before the run starts.
   * @throws {SessionError} `busy` while a run is active; `disposed` after `close`.
   */
  async start(prepare: (abort: () => void) => Promise<readonly AgentMessage[]>, signal?: AbortSignal): Promise<PromptRun> {
    if (this.#isClosed) throw new SessionError("disposed", "The session was disposed of. Create another one.");
    if (this.#replacements > 0) {
      throw new SessionError("busy", "The session is switching to another conversation. Send the prompt again after the switch.");
    }
    if (this.#active) throw new SessionError("busy", busyText);
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    void settled.then(beginRun());
    const controller = new AbortController();
    this.#active = { controller, settled };
    try {
      const messages = await prepare(() => controller.abort());
      const signals = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
      setImmediate(async () => {
        await ownTurn();
        await this.#run(messages, signals).finally(settle);
      });
    } catch (error) {
      this.#active = undefined;
      settle();
      throw error;
    }
    return { settled };
  }

  /** Aborts the current run, if any, and resolves when it has settled. */
  async abort(): Promise<void> {
    const run = this.#active;
    run?.controller.abort();
    await run?.settled;
  }

  /** Aborts the current run and calls `work` before another run can start. Resolves with the result of `work`. */
  async between<T>(work: () => T | Promise<T>): Promise<T> {
    this.#replacements += 1;
    try {
      await this.abort();
      return await work();
    } finally {
      this.#replacements -= 1;
    }
  }

  /** Aborts the current run and refuses all later ones. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.abort();
  }

  /** Resolves when no run is active. */
  async waitForIdle(): Promise<void> {
    while (this.#active !== undefined) await this.#active.settled;
  }

  #hasAnswer(): boolean {
    // Messages of extensions and of the shell may follow the answer.
    const last = this.#agent.state.messages.findLast(({ role }) => role !== "custom" && role !== "bashExecution");
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
      // Messages that a stopped run left in the queues wait for the next prompt. Messages queued after its end are sent at once.
      const waits = this.#phases.queuedAtEnd() > 0;
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
