import { RpcConnectionError, RpcProtocolError } from "./errors.ts";
import type { AgentMessage, ResyncEvent, RpcEvent } from "./protocol-types.ts";

/**
 * Sends a prompt. Calls `onAccepted`, in order with the events, when the agent accepts it; rejects when the agent refuses it. `after`: the number
 * of the event before the acceptance; infinite if it is the latest event.
 */
export type SendPrompt = (onAccepted: (after: number) => void) => Promise<void>;

/** Tracks from the events whether a run is active, and waits for the end of the run that a prompt started or joined. */
export class RunTracker {
  readonly #isShared: () => boolean;
  readonly #waiters = new Set<RunWaiter>();
  #unanswered = 0;
  #startedRuns = 0;
  #isRunActive = false;

  /** @param isShared - Whether other clients start runs, too. */
  constructor(isShared: () => boolean) {
    this.#isShared = isShared;
  }

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
   * @throws {RpcError} When the prompt is refused, the agent ends, or the events of the run's end were missed.
   */
  async promptAndWait(send: SendPrompt, onSettled?: () => void): Promise<AgentMessage[]> {
    const waiter = new RunWaiter(this.#isShared() || this.#isRunActive || this.#unanswered > 0, onSettled);
    this.#waiters.add(waiter);
    try {
      const sent = this.prompt((onAccepted) =>
        send((after) => {
          onAccepted(after);
          waiter.accept(after);
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
    if (event.type === "resync") this.#isRunActive = event.state.isStreaming;
    for (const waiter of this.#waiters) waiter.onEvent(event);
  }

  onClose(reason: Error): void {
    this.#isRunActive = false;
    for (const waiter of this.#waiters) waiter.fail(reason);
  }
}

/** A run that has settled, with the number of that event. Agents that do not number events send each response once, in its place. */
interface EndedRun {
  seq: number;
  messages: AgentMessage[] | undefined;
}

/** Waits for one run. Created before its prompt is sent, because the run may end before the response to the prompt. */
class RunWaiter {
  readonly #run = Promise.withResolvers<AgentMessage[]>();
  readonly #needsAcceptance: boolean;
  readonly #onSettled: (() => void) | undefined;
  #isAccepted = false;
  #hasStarted = false;
  #messages: AgentMessage[] | undefined;
  /** The runs that have settled before this client knew that the prompt was accepted. */
  #earlierRuns: EndedRun[] = [];
  /** The latest gap in the events. */
  #gap: ResyncEvent | undefined;

  /**
   * @param isBusy - Whether another prompt is active, or may be. A run that ends before this prompt is accepted then belongs to the other prompt; the
   *   first run that ends afterwards is the one that this prompt started or joined.
   */
  constructor(isBusy: boolean, onSettled: (() => void) | undefined) {
    this.#needsAcceptance = isBusy;
    this.#onSettled = onSettled;
  }

  get messages(): Promise<AgentMessage[]> {
    return this.#run.promise;
  }

  /**
   * Notes that the prompt was accepted. After a cut connection, the response may come later than the events that follow it; then the run of
   * the prompt may have settled already.
   */
  accept(after: number): void {
    this.#isAccepted = true;
    // Accepted before the gap. At the very place of the gap, nothing of its run was missed.
    if (this.#gap !== undefined && after < this.#gap.seq) this.#skip(this.#gap);
    const ended = this.#earlierRuns.find(({ seq }) => seq > after);
    this.#earlierRuns = [];
    if (ended !== undefined) this.#end(ended.messages);
  }

  fail(reason: Error): void {
    this.#run.reject(reason);
  }

  onEvent(event: RpcEvent): void {
    if (event.type === "agent_start") this.#hasStarted = true;
    else if (event.type === "agent_end") this.#messages = event.messages;
    else if (event.type === "agent_settled") this.#settle((event as { seq?: unknown }).seq);
    else if (event.type === "resync") this.#onGap(event);
  }

  #settle(seq: unknown): void {
    const messages = this.#messages;
    this.#messages = undefined;
    if (this.#needsAcceptance && !this.#isAccepted) {
      if (typeof seq === "number") this.#earlierRuns.push({ seq, messages });
    } else if (this.#needsAcceptance || this.#hasStarted) this.#end(messages);
  }

  #end(messages: AgentMessage[] | undefined): void {
    this.#onSettled?.();
    if (messages !== undefined) this.#run.resolve(messages);
    else this.fail(new RpcProtocolError("bad_record", "The agent settled without an agent_end that holds the messages."));
  }

  #onGap(gap: ResyncEvent): void {
    this.#messages = undefined;
    this.#earlierRuns = [];
    // Without an acceptance, it is not known whether the missed events are those of this run. In another epoch they are not.
    this.#gap = gap.reason === "epoch" ? undefined : gap;
    if (this.#isAccepted) this.#skip(gap);
  }

  /** Skips the missed events, which began after the acceptance of the prompt. */
  #skip(gap: ResyncEvent): void {
    if (gap.reason !== "epoch" && gap.state.isStreaming) this.#hasStarted = true;
    else this.fail(new RpcConnectionError("events_missed", missedEndText));
  }
}

const missedEndText =
  "The run is over, but its end was missed: the connection to the server was down for too long, or the server restarted. get_messages returns the conversation.";
