import type { AgentSession } from "../session/agent-session.ts";

/** The result of the last answer of a session. */
export interface Outcome {
  /** The text of the answer; empty if there is none. */
  text: string;
  /** The reason why the answer failed or was aborted; undefined if it was complete. */
  error: string | undefined;
}

export function outcomeOf(session: AgentSession): Outcome {
  if (session.limits.reached !== undefined) {
    return { text: session.lastAssistantText() ?? "", error: `Stopped: the run reached its limit --${session.limits.reached}.` };
  }
  const answer = session.messages.findLast(({ role }) => role === "assistant");
  if (answer?.role !== "assistant") {
    // A command of an extension may do its work without the model.
    const wasAsked = session.messages.some(({ role }) => role === "user");
    return { text: "", error: wasAsked ? "The run ended without an answer." : undefined };
  }
  const isFailed = answer.stopReason === "error" || answer.stopReason === "aborted";
  return {
    text: session.lastAssistantText() ?? "",
    error: isFailed ? (answer.errorMessage ?? `The answer ended with ${answer.stopReason}.`) : undefined,
  };
}
