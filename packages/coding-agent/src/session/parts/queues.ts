import type { Agent, AgentMessage, InterruptMode, MessageQueue, QueueMode } from "@pikit/agent";
import type { ImageContent } from "@pikit/ai";
import { createUserMessage, type PromptInput } from "../../prompt/prompt-input.ts";
import { typedTextOf } from "../../prompt/typed-text.ts";
import type { QueuedTexts, StreamingBehavior } from "../../protocol/data.ts";
import type { Transcript } from "./transcript.ts";

/** A message that has left its queue. */
export interface TakenMessage {
  text: string;
  images: ImageContent[];
}

/** The queues of a session: steering and follow-ups. Messages of the user are stored, so that they survive the process. */
export class SessionQueues {
  readonly #agent: Agent;
  readonly #transcript: Transcript;

  constructor(agent: Agent, transcript: Transcript) {
    this.#agent = agent;
    this.#transcript = transcript;
  }

  /** The number of queued messages. */
  get count(): number {
    return this.#agent.queuedCount;
  }

  /** The queued texts, in the order of sending. */
  get texts(): QueuedTexts {
    return this.#each((queue) => queue.messages);
  }

  /** Sets how many messages of a queue are sent at a time. */
  setMode(behavior: StreamingBehavior, mode: QueueMode): void {
    (behavior === "steer" ? this.#agent.steering : this.#agent.followUps).mode = mode;
  }

  /** Sets whether steering skips tool calls of the turn that have not started. */
  setInterruptMode(mode: InterruptMode): void {
    this.#agent.interruptMode = mode;
  }

  /**
   * Queues a message and resolves when it is stored.
   *
   * @throws {SessionError} `invalid_input`, `locked`. Nothing is queued then.
   */
  async add(behavior: StreamingBehavior, input: PromptInput): Promise<void> {
    const message = createUserMessage(input);
    await this.#transcript.keepQueued(behavior === "steer" ? "steering" : "followUp", message);
    this.addMessage(behavior, message);
  }

  /** Queues a message that is not the user's. It is stored only when it is sent. */
  addMessage(behavior: StreamingBehavior, message: AgentMessage): void {
    if (behavior === "steer") this.#agent.steer(message);
    else this.#agent.followUp(message);
  }

  /**
   * Removes and returns all steering messages: they go in front of a prompt, whatever the mode. A mode counts messages per turn, but
   * messages queued while idle are context for the prompt and get no turn of their own. Call it when the prompt can no longer be refused.
   */
  takeSteering(): AgentMessage[] {
    return this.#agent.steering.clear();
  }

  /**
   * Removes a message from a queue, so that the user can change it.
   *
   * @param index - Its place in `texts`.
   * @param text - Its text, to make sure that it is still in this place.
   * @returns Undefined if the queue has no such message any more.
   */
  async take(behavior: StreamingBehavior, index: number, text: string): Promise<TakenMessage | undefined> {
    const queue = behavior === "steer" ? this.#agent.steering : this.#agent.followUps;
    const message = queue.messages[index];
    if (!message || typedTextOf(message) !== text) return undefined;
    queue.replace(queue.messages.filter((each) => each !== message));
    await this.#transcript.dropQueued([message]);
    return toTaken(message);
  }

  /** Empties both queues and returns their messages, in the order of sending, so that the user can change them. */
  async takeAll(): Promise<TakenMessage[]> {
    const { steering, followUps } = this.#agent;
    const taken = [...steering.clear(), ...followUps.clear()];
    await this.#transcript.dropQueued(taken);
    return taken.map(toTaken);
  }

  /** Empties both queues and returns their texts. */
  async clear(): Promise<QueuedTexts> {
    const { texts } = this;
    await this.takeAll();
    return texts;
  }

  /**
   * Loads the queued messages of the conversation. Call it at the start and after each change of conversation. Messages queued in the
   * previous conversation stay stored there.
   */
  restore(): void {
    this.#agent.steering.replace(this.#transcript.keptIn("steering"));
    this.#agent.followUps.replace(this.#transcript.keptIn("followUp"));
  }

  #each(read: (queue: MessageQueue) => readonly AgentMessage[]): QueuedTexts {
    const { steering, followUps } = this.#agent;
    return { steering: read(steering).map(typedTextOf), followUp: read(followUps).map(typedTextOf) };
  }
}

function toTaken(message: AgentMessage): TakenMessage {
  const content = message.role === "user" && Array.isArray(message.content) ? message.content : [];
  return { text: typedTextOf(message), images: content.filter((block) => block.type === "image") };
}
