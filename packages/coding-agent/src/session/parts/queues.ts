import type { Agent, AgentMessage, InterruptMode, MessageQueue, QueueMode } from "@pikit/agent";
import { createUserMessage, type PromptInput } from "../../prompt/prompt-input.ts";
import { typedTextOf } from "../../prompt/typed-text.ts";
import type { QueuedTexts, StreamingBehavior } from "../../protocol/data.ts";
import type { Transcript } from "./transcript.ts";

/** Messages of the user that wait for their moment in a run. They are stored, so that they survive the process. */
export class SessionQueues {
  readonly #agent: Agent;
  readonly #transcript: Transcript;

  constructor(agent: Agent, transcript: Transcript) {
    this.#agent = agent;
    this.#transcript = transcript;
  }

  /** How many messages wait. */
  get count(): number {
    return this.#agent.queuedCount;
  }

  /** The texts that wait, first to go first. */
  get texts(): QueuedTexts {
    return this.#each((queue) => queue.messages);
  }

  /** How many of its messages go in at a time. */
  setMode(behavior: StreamingBehavior, mode: QueueMode): void {
    (behavior === "steer" ? this.#agent.steering : this.#agent.followUps).mode = mode;
  }

  /** Whether steering may skip tool calls of the turn that have not started. */
  setInterruptMode(mode: InterruptMode): void {
    this.#agent.interruptMode = mode;
  }

  /**
   * Queues a message and resolves when it is stored.
   *
   * @throws {SessionError} `invalid_input`. Nothing is queued then.
   */
  async add(behavior: StreamingBehavior, input: PromptInput): Promise<void> {
    const message = createUserMessage(input);
    await this.#transcript.keepQueued(behavior === "steer" ? "steering" : "followUp", message);
    this.addMessage(behavior, message);
  }

  /** Queues a message that is no user's. It is not stored before its turn comes. */
  addMessage(behavior: StreamingBehavior, message: AgentMessage): void {
    if (behavior === "steer") this.#agent.steer(message);
    else this.#agent.followUp(message);
  }

  /**
   * Takes out what goes in front of a prompt: everything that steers, whatever the mode. A mode counts messages a turn, and a message
   * that waits while idle is to have none of its own: it is context for the prompt. To be called when the prompt can no longer be refused.
   */
  takeSteering(): AgentMessage[] {
    return this.#agent.steering.clear();
  }

  /** Empties both queues and returns the texts that were in them. */
  async clear(): Promise<QueuedTexts> {
    const cleared: AgentMessage[] = [];
    const texts = this.#each((queue) => {
      const messages = queue.clear();
      cleared.push(...messages);
      return messages;
    });
    await this.#transcript.dropQueued(cleared);
    return texts;
  }

  /** Takes over what waits in the conversation: to be called once at the beginning, and after each change of conversation. What waited before stays stored where it was queued. */
  restore(): void {
    this.#agent.steering.replace(this.#transcript.keptIn("steering"));
    this.#agent.followUps.replace(this.#transcript.keptIn("followUp"));
  }

  #each(read: (queue: MessageQueue) => readonly AgentMessage[]): QueuedTexts {
    const { steering, followUps } = this.#agent;
    return { steering: read(steering).map(typedTextOf), followUp: read(followUps).map(typedTextOf) };
  }
}
