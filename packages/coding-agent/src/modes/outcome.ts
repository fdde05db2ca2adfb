import type { AgentSession } from "../session/agent-session.ts";

/** How the last answer of a session ended. */
export interface Outcome {
  /** Its text; empty when there is none. */
  text: string;
  /** Why it failed or was aborted; undefined when it did not. */
  error: string | undefined;
}

export function outcomeOf(session: AgentSession): Outcome {
  if (session.limits.reached !== undefined) {
    return { text: session.lastAssistantText() ?? "", error: `Stopped: the run reached its limit --${session.limits.reached}.` };
  }
  const answer = session.messages.findLast(({ role }) => role === "assistant");
  if (answer?.role !== "assistant") {
    // Commands of extensions ask no model.
    const wasAsked = session.messages.some(({ role }) => role === "user");
    return { text: "", error: wasAsked ? "The run ended without an answer." : undefined };
  }
  const isFailed = answer.stopReason === "error" || answer.stopReason === "aborted";
  return {
    text: session.lastAssistantText() ?? "",
    error: isFailed ? (answer.errorMessage ?? `The answer ended with ${answer.stopReason}.`) : undefined,
  };
}
