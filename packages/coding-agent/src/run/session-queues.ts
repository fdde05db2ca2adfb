import type { Agent, AgentMessage, MessageQueue } from "@pikit/agent";
import { createUserMessage, type PromptInput } from "../prompt/prompt-input.ts";
import { typedTextOf } from "../prompt/typed-text.ts";
import type { Transcript } from "./transcript.ts";

/** What a message that is sent during a run does: it steers the run, or follows when the run would end. */
export type StreamingBehavior = "steer" | "followUp";

/** The texts that wait, first to go first. */
export interface QueuedTexts {
  steering: string[];
  followUp: string[];
}

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

  get texts(): QueuedTexts {
    return this.#each((queue) => queue.messages);
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
