import { Agent, type AgentEvent, type AgentTool } from "@pikit/agent";
import { createScriptedModel, type Script, type ScriptedAnswer } from "@pikit/ai";
import { isAbortNote } from "../../src/conversation/messages.ts";
import type { SessionEvent } from "../../src/protocol/events.ts";
import type { TaskSession } from "../../src/run/delegation.ts";
import { LimitGuard, type RunLimits } from "../../src/run/limits.ts";
import { absentUser } from "../../src/user-interface.ts";

/** A dollar for each token of input, so that costs are easy to read. */
const cost = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };

export interface TaskSessionOptions {
  script: Script | readonly ScriptedAnswer[];
  tools?: AgentTool[];
  limits?: RunLimits;
}

/** A session for a sub-task: an agent with limits, as an `AgentSession` has them. */
export function createTaskSession({ script, tools = [], limits = {} }: TaskSessionOptions) {
  const listeners: ((event: AgentEvent | SessionEvent) => void)[] = [];
  const guard = new LimitGuard({
    limits,
    user: absentUser,
    emit: (event) => void listeners.forEach((listener) => void listener(event)),
    isMoreQueued: () => false,
    addHint: () => {},
  });
  const agent = new Agent({
    model: createScriptedModel({ script, overrides: { cost } }),
    tools,
    betweenTurns: (turn, signal) => guard.afterTurn(turn, signal),
    beforeToolCall: () => guard.checkCall(),
  });
  let isDisposed = false;
  const session: TaskSession = {
    messages: agent.state.messages,
    limits: guard,
    subscribe(listener) {
      listeners.push(listener);
      return agent.subscribe(listener);
    },
    async prompt(text, { signal }) {
      guard.start(() => agent.abort());
      const abort = () => agent.abort(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      const run = agent.prompt(text);
      if (signal.aborted) abort();
      await run;
      signal.removeEventListener("abort", abort);
    },
    lastAssistantText() {
      const last = agent.state.messages.findLast((message) => message.role === "assistant" && !isAbortNote(message));
      if (last?.role !== "assistant") return null;
      return last.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    },
    async dispose() {
      isDisposed = true;
    },
  };
  return {
    session,
    agent,
    emit: (event: SessionEvent) => listeners.forEach((listener) => void listener(event)),
    isDisposed: () => isDisposed,
  };
}
