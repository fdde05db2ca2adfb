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
  /** Undefined if the session has no rules. */
  rules: StreamRules | undefined;
  /** Called for each tool call that the limits allow. */
  beforeToolCall: NonNullable<AgentHooks["beforeToolCall"]>;
}

/** Calls the parts that decide about a run, in a fixed order. */
export class RunSupervisor {
  readonly #parts: SupervisorParts;
  /** The agent's hooks. */
  readonly hooks: Pick<AgentHooks, "watchAnswer" | "shouldRetry" | "betweenTurns" | "beforeToolCall">;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    const { agent, limits, retry, compactor, todos, rules, beforeToolCall } = parts;
    this.hooks = {
      // Absent without rules, so that the loop does not call it for each delta.
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

  /** Makes room for an accepted prompt. Returns the first messages of the run. */
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

  /** Ends the cycle of retries after an answer. An answer that a rule stopped counts as a success: the provider has not failed. */
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
