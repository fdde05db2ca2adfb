import type { Agent, AgentMessage } from "@pikit/agent";
import type { BranchContext } from "../../conversation/context.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { EntryContent, SessionEntry } from "../../conversation/entries.ts";
import { createEntryId } from "../../conversation/ids.ts";
import { type QueueName, queueAddition, queueClearance } from "../../conversation/queue-journal.ts";
import { isSessionError } from "../../errors.ts";

/**
 * Keeps the agent's messages and the stored conversation the same. A message of the agent is stored before listeners are called. A
 * message from elsewhere waits while tool calls are open, so that nothing comes between a tool call and its result.
 */
export class Transcript {
  readonly #agent: Agent;
  readonly #reportFailure: (message: string) => boolean;
  #conversation: Conversation;
  #callsAreOpen = false;
  #waiting: AgentMessage[] = [];
  /** The reason why entries were not stored the last time, and the reason that was reported last. */
  #failure: string | undefined;
  #toldFailure: string | undefined;
  #toldDiagnostics: number;
  /** The model and level that are recorded on the active branch. */
  #recorded: Pick<BranchContext, "model" | "thinkingLevel"> = { model: undefined, thinkingLevel: undefined };
  /** The queue id of each queued message. */
  #queueIds = new WeakMap<AgentMessage, string>();

  /**
   * @param context - The context of the conversation.
   * @param reportFailure - Called once for each reason why entries cannot be stored; the session continues in memory. Returns whether a
   *   listener got the report; if not, it is called again with the next entry.
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

  /** The reason why a part of the conversation is not stored; undefined if all of it is. */
  get unsavedReason(): string | undefined {
    return this.#conversation.isBehind ? this.#failure : undefined;
  }

  /** Switches to another conversation or branch. Call it only while no run is active. */
  replace(conversation: Conversation, { messages, model, thinkingLevel }: BranchContext): void {
    this.#conversation = conversation;
    this.#toldDiagnostics = conversation.diagnostics.length;
    this.#agent.state.messages = messages;
    this.#recorded = { model, thinkingLevel };
  }

  /** Stores a complete message of the agent. Call it before other listeners. */
  async store(message: AgentMessage): Promise<void> {
    if (message.role === "assistant") {
      const isTrusted = message.stopReason !== "error" && message.stopReason !== "aborted";
      this.#callsAreOpen = isTrusted && message.content.some(({ type }) => type === "toolCall");
    }
    await this.#add(message);
  }

  /** Adds the waiting messages to the context. Call it at the end of each turn, when all tool calls have their results. */
  closeCalls(): void {
    this.#callsAreOpen = false;
    this.#agent.state.messages.push(...this.#waiting.splice(0));
  }

  /**
   * Stores an accepted prompt. The agent emits its events later, when the run begins.
   *
   * @throws {SessionError} `locked` when another process has opened the session meanwhile: the prompt would never be stored.
   */
  async accept(message: AgentMessage): Promise<void> {
    refuseIfLocked(await this.#add(message));
  }

  /**
   * Adds a message that is not part of a run. Resolves when it is stored. While tool calls are open, the model sees it only after their
   * results.
   */
  async insert(message: AgentMessage): Promise<void> {
    if (this.#callsAreOpen) this.#waiting.push(message);
    else this.#agent.state.messages.push(message);
    await this.#add(message);
  }

  /** Stores another kind of entry. Default id: a new one. */
  async append(content: EntryContent, id?: string): Promise<void> {
    await this.storeEntry(content, id);
  }

  /** The same; resolves with the entry, or undefined if it was not stored. */
  async storeEntry(content: EntryContent, id?: string): Promise<SessionEntry | undefined> {
    let entry: SessionEntry | undefined;
    await this.#guard(async () => {
      entry = await this.#conversation.append(content, id);
    });
    return entry;
  }

  /** Sets the id under which a message is stored when it enters the conversation. */
  setQueueId(message: AgentMessage, queueId: string): void {
    this.#queueIds.set(message, queueId);
  }

  /**
   * Stores a message before it is queued, so that it survives the process.
   *
   * @throws {SessionError} `locked`, like `accept`.
   */
  async keepQueued(queue: QueueName, message: AgentMessage): Promise<void> {
    const queueId = createEntryId(() => false);
    this.setQueueId(message, queueId);
    refuseIfLocked(await this.#guard(() => this.#conversation.append(queueAddition({ queueId, queue, message }))));
  }

  /** Stores that queued messages were dropped. */
  async dropQueued(messages: readonly AgentMessage[]): Promise<void> {
    const queueIds = messages.flatMap((message) => this.#queueIds.get(message) ?? []);
    if (queueIds.length > 0) await this.append(queueClearance(queueIds));
  }

  /** The stored messages of a queue. */
  keptIn(queue: QueueName): AgentMessage[] {
    return this.#conversation.queued
      .filter((kept) => kept.queue === queue)
      .map(({ queueId, message }) => {
        this.setQueueId(message, queueId);
        return message;
      });
  }

  /** Stores the agent's model and level if they differ from those recorded on the branch. */
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

  #add(message: AgentMessage): Promise<unknown> {
    return this.#guard(() => this.#conversation.appendMessage(message, this.#queueIds.get(message)));
  }

  /** Stores something. A failure is reported, and returned; undefined when it is stored. */
  async #guard(write: () => Promise<unknown>): Promise<unknown> {
    let reason: unknown;
    try {
      await write();
      if (!this.#conversation.isBehind) this.#toldFailure = undefined;
    } catch (error) {
      reason = error;
      const failure = error instanceof Error ? error.message : String(error);
      this.#failure = failure;
      if (failure !== this.#toldFailure && this.#reportFailure(failure)) this.#toldFailure = failure;
    }
    for (const found of this.#conversation.diagnostics.slice(this.#toldDiagnostics)) this.#reportFailure(found);
    this.#toldDiagnostics = this.#conversation.diagnostics.length;
    return reason;
  }
}

/** After other failures the message is stored later. */
function refuseIfLocked(failure: unknown): void {
  if (isSessionError(failure) && failure.code === "locked") throw failure;
}
