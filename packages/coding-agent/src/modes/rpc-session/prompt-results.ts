import type { AssistantMessage } from "@pikit/ai";
import type { PromptResult } from "../../protocol/frames.ts";
import type { PromptRun } from "../../run/run-controller.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { AgentSessionEvent } from "../../session/events.ts";

/** Sends `prompt_result` for each accepted prompt, and `session_settled` when nothing runs any more. */
export class PromptResults {
  readonly #session: AgentSession;
  readonly #send: (frame: object) => void;
  /** The prompts without a result. */
  readonly #open = new Set<object>();
  /** The number of model calls so far. */
  #calls = 0;
  /** The latest complete answer. */
  #answer: AssistantMessage | undefined;
  /** Whether the retries of a model call were used up. */
  #hasRetried = false;
  /** Whether the model was called since the last `session_settled`. */
  #hasWorked = false;

  /** Create it before the first prompt is accepted: it observes the session from now on. */
  constructor(session: AgentSession, send: (frame: object) => void) {
    this.#session = session;
    this.#send = send;
    session.subscribe((event) => this.#observe(event));
  }

  /** Sends the result of an accepted prompt when its work has ended. Call it after the response to the command. */
  add(id: unknown, { settled }: PromptRun): void {
    const prompt = {};
    this.#open.add(prompt);
    const callsBefore = this.#calls;
    void settled.then(() => {
      this.#open.delete(prompt);
      const wasCalled = this.#calls > callsBefore;
      const outcome = wasCalled ? this.#outcome() : ({ status: "completed" } as const);
      const result: PromptResult = {
        type: "prompt_result",
        id,
        agentInvoked: wasCalled,
        ...outcome,
        sessionSettled: this.#isSettled,
      };
      this.#send(result);
      this.#settle();
    });
  }

  get #isSettled(): boolean {
    return this.#open.size === 0 && !this.#session.isStreaming;
  }

  #settle(): void {
    if (!this.#isSettled || !this.#hasWorked) return;
    this.#hasWorked = false;
    this.#send({ type: "session_settled" });
  }

  #observe(event: AgentSessionEvent): void {
    if (event.type === "agent_start") this.#hasRetried = false;
    else if (event.type === "auto_retry_end") this.#hasRetried = !event.success;
    else if (event.type === "turn_start") {
      this.#calls += 1;
      this.#hasWorked = true;
    } else if (event.type === "message_end" && event.message.role === "assistant") this.#answer = event.message;
    else if (event.type === "agent_settled") this.#settle();
  }

  /** How the latest run ended. */
  #outcome(): Pick<PromptResult, "status" | "error"> {
    const { stopReason, errorMessage = "The model call failed.", provider, model } = this.#answer ?? {};
    if (stopReason === "aborted") return { status: "aborted" };
    if (stopReason !== "error") return { status: "completed" };
    const error = { message: errorMessage, provider: provider ?? "", model: model ?? "", retryable: this.#hasRetried };
    return { status: "error", error };
  }
}
