import { RpcProtocolError } from "./errors.ts";
import type { AgentMessage, RpcEvent } from "./protocol-types.ts";

/** Sends a prompt. Calls `onAccepted`, in order with the events, when the agent has taken it; rejects when the agent refuses it. */
export type SendPrompt = (onAccepted: () => void) => Promise<void>;

/** Knows from the events when a run is at work, and waits for the end of the run that one prompt started or joined. */
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
   * @param onSettled - Called in order with the events, when the run has settled.
   * @returns the messages of the run, when it has settled.
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

/** Follows the events from before its prompt was sent, so that a run which ends before the prompt is answered is not missed. */
class RunWaiter {
  readonly #run = Promise.withResolvers<AgentMessage[]>();
  readonly #needsAcceptance: boolean;
  readonly #onSettled: (() => void) | undefined;
  #isAccepted = false;
  #hasStarted = false;
  #messages: AgentMessage[] | undefined;

  /**
   * @param isBusy - Whether another prompt is at work. A run that ends before this prompt was accepted is then the other's; afterwards,
   *   it is the one that this prompt joined or started.
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
