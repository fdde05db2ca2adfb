import type { Agent, AgentHooks, AgentMessage } from "@pikit/agent";
import type { TodoList } from "../todo/todo-list.ts";
import type { AutoRetry } from "./auto-retry.ts";
import type { Compactor } from "./compaction/compactor.ts";
import type { LimitGuard } from "./limits.ts";
import type { StreamRules } from "./stream-rules.ts";

/** The parts that decide about a run. */
export interface SupervisorParts {
  agent: Agent;
  limits: LimitGuard;
  retry: AutoRetry;
  compactor: Compactor;
  todos: TodoList;
  /** Absent when the session has no rules. */
  rules: StreamRules | undefined;
  /** Decides about each tool call that the limits allow. */
  beforeToolCall: NonNullable<AgentHooks["beforeToolCall"]>;
}

/** The order in which the parts decide about a run. */
export class RunSupervisor {
  readonly #parts: SupervisorParts;
  /** Decide during the runs of the agent. */
  readonly hooks: Pick<AgentHooks, "watchAnswer" | "shouldRetry" | "betweenTurns" | "beforeToolCall">;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    const { agent, limits, retry, compactor, todos, rules, beforeToolCall } = parts;
    this.hooks = {
      // Absent without rules, so that the loop need not look at each delta.
      ...(rules && { watchAnswer: (event) => rules.watch(event) }),
      async shouldRetry(failed, signal) {
        limits.countCost(failed.answer);
        const correction = await rules?.correct(failed.answer);
        if (correction) return [correction];
        return (await retry.shouldRetry(failed, signal)) || compactor.recover(failed, signal);
      },
      betweenTurns: async (turn, signal) => {
        if ((await limits.afterTurn(turn, signal)) === "stop") return "stop";
        const goesOn = turn.toolResults.length > 0 || agent.queuedCount > 0;
        if (!goesOn && !todos.isReminderDue) return undefined;
        await compactor.betweenTurns(signal);
        return goesOn ? this.#notices() : [await todos.remind()];
      },
      beforeToolCall: (call, signal) => limits.checkCall() ?? beforeToolCall(call, signal),
    };
  }

  /** Makes room for an accepted prompt. Returns the messages that the run begins with. */
  async beforeRun(messages: readonly AgentMessage[], signal: AbortSignal): Promise<AgentMessage[]> {
    const { compactor, todos } = this.#parts;
    await todos.startRun();
    await compactor.beforeRun(messages, signal);
    return [...messages, ...this.#notices()];
  }

  /** Makes room after a run, before it counts as settled. */
  async afterRun(signal: AbortSignal): Promise<void> {
    this.#parts.limits.stop();
    await this.#parts.compactor.afterRun(signal);
  }

  /** Closes the retries that an answer ends. One that a rule has stopped counts as a good one: the provider has not failed. */
  async observeAnswer(message: AgentMessage): Promise<void> {
    if (message.role !== "assistant") return;
    const { retry, rules } = this.#parts;
    await retry.observe(rules?.hasStopped(message) ? { ...message, stopReason: "stop" } : message);
  }

  #notices(): AgentMessage[] {
    const { agent, todos } = this.#parts;
    const notice = todos.notice(agent.state.messages);
    return notice ? [notice] : [];
  }
}
