import type { AgentMessage } from "@pikit/agent";
import type { Conversation } from "../conversation/conversation.ts";
import type { EntryContent } from "../conversation/entries.ts";
import type { WritableSessionManager } from "./api-context.ts";
import type { MessageContent } from "./api-messages.ts";
import { SessionReader } from "./session-reader.ts";

/** Calls `setup` with a new session. Resolves when the entries that it has added are stored. */
export async function prepareSession(
  conversation: Conversation,
  setup: (session: WritableSessionManager) => void | Promise<void>,
): Promise<void> {
  const writer = new SessionWriter(() => conversation);
  await setup(writer);
  await writer.stored;
}

/** Adds entries to a session. Each is readable at once, and stored soon after. */
export class SessionWriter extends SessionReader implements WritableSessionManager {
  readonly #current: () => Conversation;
  #stored: Promise<unknown> = Promise.resolve();

  /** @param current - The conversation that the entries are added to. */
  constructor(current: () => Conversation) {
    super(current);
    this.#current = current;
  }

  /** Resolves when all entries are stored. Rejects if one could not be stored. */
  get stored(): Promise<unknown> {
    return this.#stored;
  }

  appendMessage(message: AgentMessage): string {
    return this.append({ type: "message", message });
  }

  appendCustomEntry(customType: string, data?: unknown): string {
    return this.append({ type: "custom", customType, ...(data === undefined ? {} : { data }) });
  }

  appendCustomMessageEntry(customType: string, content: MessageContent, display: boolean, details?: unknown): string {
    return this.append({ type: "custom_message", customType, content, display, ...(details === undefined ? {} : { details }) });
  }

  appendSessionInfo(name: string): string {
    return this.append({ type: "session_info", name });
  }

  appendLabelChange(targetId: string, label: string | undefined): string {
    return this.append({ type: "label", targetId, ...(label ? { label } : {}) });
  }

  /** Adds an entry. @returns Its id. */
  protected append(content: EntryContent): string {
    const conversation = this.#current();
    const id = conversation.newEntryId();
    const appended = conversation.append(content, id);
    this.#stored = Promise.all([this.#stored, appended]);
    this.#stored.catch(() => {}); // reported by `stored`
    return id;
  }
}
