import type { Agent, AgentHooks, AgentMessage } from "@pikit/agent";
import type { TodoList } from "../todo/todo-list.ts";
import type { AutoRetry } from "./auto-retry.ts";
import type { Compactor } from "./compaction/compactor.ts";
import type { LimitGuard } from "./limits.ts";
import type { StreamRules } from "./stream-rules.ts";

/** Those that have a say in a run. */
export interface RunParts {
  agent: Agent;
  limits: LimitGuard;
  retry: AutoRetry;
  compactor: Compactor;
  todos: TodoList;
  /** Absent when the session has no rules. */
  rules: StreamRules | undefined;
  beforeToolCall: NonNullable<AgentHooks["beforeToolCall"]>;
}

/** The order in which those are asked that have a say in a run. */
export class RunSupervisor {
  /** The parts need the agent, and the agent these hooks. */
  #parts: RunParts | undefined;

  /**
   * What the agent is made with.
   *
   * @param watchesAnswers - Whether there are rules; without them answers need not be looked at.
   */
  hooks(watchesAnswers: boolean): AgentHooks {
    return { ...this.#hooks, ...(watchesAnswers ? { watchAnswer: (event) => this.#get().rules?.watch(event) } : {}) };
  }

  readonly #hooks: AgentHooks = {
    shouldRetry: async (failed, signal) => {
      const { limits, rules, retry, compactor } = this.#get();
      limits.countCost(failed.answer);
      const correction = await rules?.correct(failed.answer);
      if (correction) return [correction];
      return (await retry.shouldRetry(failed, signal)) || compactor.recover(failed, signal);
    },
    betweenTurns: async (turn, signal) => {
      const { agent, limits, todos, compactor } = this.#get();
      if ((await limits.afterTurn(turn, signal)) === "stop") return "stop";
      const goesOn = turn.toolResults.length > 0 || agent.queuedCount > 0;
      if (!goesOn && !todos.isReminderDue) return undefined;
      await compactor.betweenTurns(signal);
      return goesOn ? this.#notices() : [await todos.remind()];
    },
    beforeToolCall: (call, signal) => {
      const { limits, beforeToolCall } = this.#get();
      return limits.checkCall() ?? beforeToolCall(call, signal);
    },
  };

  /** To be called once, before the first run. */
  attach(parts: RunParts): void {
    this.#parts = parts;
  }

  /** Makes room for an accepted prompt. Returns the messages that the run begins with. */
  async beforeRun(messages: readonly AgentMessage[], signal: AbortSignal): Promise<AgentMessage[]> {
    const { compactor, todos } = this.#get();
    await todos.startRun();
    await compactor.beforeRun(messages, signal);
    return [...messages, ...this.#notices()];
  }

  /** Makes room after a run, before it counts as settled. */
  async afterRun(signal: AbortSignal): Promise<void> {
    const { limits, compactor } = this.#get();
    limits.stop();
    await compactor.afterRun(signal);
  }

  #notices(): AgentMessage[] {
    const { agent, todos } = this.#get();
    const notice = todos.notice(agent.state.messages);
    return notice ? [notice] : [];
  }

  #get(): RunParts {
    if (!this.#parts) throw new Error("The run supervisor is used before it has its parts.");
    return this.#parts;
  }
}
