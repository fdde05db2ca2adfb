import type { Agent, AgentMessage } from "@pikit/agent";
import type { BranchContext } from "../../conversation/context.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { EntryContent } from "../../conversation/entries.ts";
import { createEntryId } from "../../conversation/ids.ts";
import { type QueueName, queueAddition, queueClearance } from "../../conversation/queue-journal.ts";

/**
 * Keeps the agent's messages and the stored conversation the same: what the agent says is stored before anybody is told of it, and
 * what others add waits while calls are open, so that nothing lands between a tool call and its result.
 */
export class Transcript {
  readonly #agent: Agent;
  readonly #reportFailure: (message: string) => boolean;
  #conversation: Conversation;
  #callsAreOpen = false;
  #waiting: AgentMessage[] = [];
  /** Why entries were not stored the last time; and what of it was told. */
  #failure: string | undefined;
  #toldFailure: string | undefined;
  #toldDiagnostics: number;
  /** The model and level that the active branch says. */
  #recorded: Pick<BranchContext, "model" | "thinkingLevel"> = { model: undefined, thinkingLevel: undefined };
  /** Under which id each queued message is kept. */
  #queueIds = new WeakMap<AgentMessage, string>();

  /**
   * @param context - What the conversation says.
   * @param reportFailure - Told once for each cause why entries cannot be stored; the session goes on in memory. Returns whether somebody
   *   has heard it: else it is told again with the next entry.
   */
  constructor(agent: Agent, conversation: Conversation, context: BranchContext, reportFailure: (message: string) => boolean) {
    this.#agent = agent;
    this.#reportFailure = reportFailure;
    this.#conversation = conversation;
    this.#toldDiagnostics = conversation.diagnostics.length;
    this.replace(conversation, context);
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  /** Why not all of the conversation is stored; undefined when it is. */
  get unsavedReason(): string | undefined {
    return this.#conversation.isBehind ? this.#failure : undefined;
  }

  /** Goes over to another conversation, or to another branch of this one. Only while no run is going. */
  replace(conversation: Conversation, { messages, model, thinkingLevel }: BranchContext): void {
    this.#conversation = conversation;
    this.#toldDiagnostics = conversation.diagnostics.length;
    this.#agent.state.messages = messages;
    this.#recorded = { model, thinkingLevel };
  }

  /** Stores a message that the agent has ended. Call it before anybody else is told of it. */
  async store(message: AgentMessage): Promise<void> {
    if (message.role === "assistant") {
      const isTrusted = message.stopReason !== "error" && message.stopReason !== "aborted";
      this.#callsAreOpen = isTrusted && message.content.some(({ type }) => type === "toolCall");
    }
    await this.accept(message);
  }

  /** The calls of a turn have their results: messages that have waited for that enter the context. Call it at the end of each turn. */
  closeCalls(): void {
    this.#callsAreOpen = false;
    this.#agent.state.messages.push(...this.#waiting.splice(0));
  }

  /** Stores an accepted prompt; the agent tells of it later, when its run begins. */
  accept(message: AgentMessage): Promise<void> {
    return this.#guard(() => this.#conversation.appendMessage(message, this.#queueIds.get(message)));
  }

  /**
   * Adds a message that is not part of a run. Resolves when it is stored; while calls are open, which may be long, the model does not see
   * it before they have their results.
   */
  async insert(message: AgentMessage): Promise<void> {
    if (this.#callsAreOpen) this.#waiting.push(message);
    else this.#agent.state.messages.push(message);
    await this.accept(message);
  }

  /** Stores something else of the session. Default id: a new one. */
  append(content: EntryContent, id?: string): Promise<void> {
    return this.#guard(() => this.#conversation.append(content, id));
  }

  /** Stores a message that is about to be queued, so that it survives the process. */
  async keepQueued(queue: QueueName, message: AgentMessage): Promise<void> {
    const queueId = createEntryId(() => false);
    this.#queueIds.set(message, queueId);
    await this.append(queueAddition({ queueId, queue, message }));
  }

  /** Stores that queued messages will not be said. */
  async dropQueued(messages: readonly AgentMessage[]): Promise<void> {
    const queueIds = messages.flatMap((message) => this.#queueIds.get(message) ?? []);
    if (queueIds.length > 0) await this.append(queueClearance(queueIds));
  }

  /** The messages that wait in a queue of the conversation, as they were stored. */
  keptIn(queue: QueueName): AgentMessage[] {
    return this.#conversation.queued
      .filter((kept) => kept.queue === queue)
      .map(({ queueId, message }) => {
        this.#queueIds.set(message, queueId);
        return message;
      });
  }

  /** Stores the agent's model and level where the branch does not say them already. */
  async recordChoices(): Promise<void> {
    const { model, thinkingLevel } = this.#agent.state;
    const before = this.#recorded;
    if (model && (before.model?.provider !== model.provider || before.model.modelId !== model.id)) {
      this.#recorded = { ...this.#recorded, model: { provider: model.provider, modelId: model.id } };
      await this.append({ type: "model_change", provider: model.provider, modelId: model.id });
    }
    if (before.thinkingLevel !== thinkingLevel) {
      this.#recorded = { ...this.#recorded, thinkingLevel };
      await this.append({ type: "thinking_level_change", thinkingLevel });
    }
  }

  async #guard(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
      if (!this.#conversation.isBehind) this.#toldFailure = undefined;
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      this.#failure = failure;
      if (failure !== this.#toldFailure && this.#reportFailure(failure)) this.#toldFailure = failure;
    }
    for (const found of this.#conversation.diagnostics.slice(this.#toldDiagnostics)) this.#reportFailure(found);
    this.#toldDiagnostics = this.#conversation.diagnostics.length;
  }
}
