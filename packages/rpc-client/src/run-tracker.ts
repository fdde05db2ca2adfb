import { RpcProtocolError } from "./errors.ts";
import type { AgentMessage, RpcEvent } from "./protocol-types.ts";

/** Sends a prompt. Calls `onAccepted`, in order with the events, when the agent accepts it; rejects when the agent refuses it. */
export type SendPrompt = (onAccepted: () => void) => Promise<void>;

/** Tracks from the events whether a run is active, and waits for the end of the run that a prompt started or joined. */
export class RunTracker {
  readonly #waiters = new Set<RunWaiter>();
  #unanswered = 0;
  #startedRuns = 0;
  #isRunActive = false;

  async prompt(send: SendPrompt): Promise<void> {
    const startedBefore = this.#startedRuns;
    this.#unanswered += 1;
    try {
      await send(() => {
        if (this.#startedRuns === startedBefore) this.#isRunActive = true;
      });
    } finally {
      this.#unanswered -= 1;
    }
  }

  /**
   * Waits until the run of a prompt has settled.
   *
   * @param onSettled - Called in order with the events, when the run has settled.
   * @returns The messages of the run.
   * @throws {RpcError} When the prompt is refused, or the process ends.
   */
  async promptAndWait(send: SendPrompt, onSettled?: () => void): Promise<AgentMessage[]> {
    const waiter = new RunWaiter(this.#isRunActive || this.#unanswered > 0, onSettled);
    this.#waiters.add(waiter);
    try {
      const sent = this.prompt((onAccepted) =>
        send(() => {
          onAccepted();
          waiter.accept();
        }),
      );
      const [messages] = await Promise.all([waiter.messages, sent]);
      return messages;
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  onEvent(event: RpcEvent): void {
    if (event.type === "agent_start") {
      this.#startedRuns += 1;
      this.#isRunActive = true;
    }
    if (event.type === "agent_settled") this.#isRunActive = false;
    for (const waiter of this.#waiters) waiter.onEvent(event);
  }

  onClose(reason: Error): void {
    this.#isRunActive = false;
    for (const waiter of this.#waiters) waiter.fail(reason);
  }
}

/** Waits for one run. Created before its prompt is sent, because the run may end before the response to the prompt. */
class RunWaiter {
  readonly #run = Promise.withResolvers<AgentMessage[]>();
  readonly #needsAcceptance: boolean;
  readonly #onSettled: (() => void) | undefined;
  #isAccepted = false;
  #hasStarted = false;
  #messages: AgentMessage[] | undefined;

  /**
   * @param isBusy - Whether another prompt is active. A run that ends before this prompt is accepted then belongs to the other prompt; the
   *   first run that ends afterwards is the one that this prompt started or joined.
   */
  constructor(isBusy: boolean, onSettled: (() => void) | undefined) {
    this.#needsAcceptance = isBusy;
    this.#onSettled = onSettled;
  }

  get messages(): Promise<AgentMessage[]> {
    return this.#run.promise;
  }

  accept(): void {
    this.#isAccepted = true;
  }

  fail(reason: Error): void {
    this.#run.reject(reason);
  }

  onEvent(event: RpcEvent): void {
    if (event.type === "agent_start") this.#hasStarted = true;
    else if (event.type === "agent_end") this.#messages = event.messages;
    else if (event.type === "agent_settled") this.#settle();
  }

  #settle(): void {
    const isOurs = this.#needsAcceptance ? this.#isAccepted : this.#hasStarted;
    if (isOurs) this.#onSettled?.();
    if (isOurs && this.#messages !== undefined) this.#run.resolve(this.#messages);
    else if (isOurs)
      this.fail(new RpcProtocolError("bad_record", "The agent settled without an agent_end that holds the messages."));
    this.#messages = undefined;
  }
}
