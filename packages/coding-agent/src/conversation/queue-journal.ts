import type { AgentMessage } from "@pikit/agent";
import type { EntryContent, SessionEntry } from "./entries.ts";

/** The type of the custom entries that store queued messages. */
const queueEntryType = "pikit.queue";

export type QueueName = "steering" | "followUp";

/** A message that waits in a queue. */
export interface QueuedMessage {
  queueId: string;
  queue: QueueName;
  message: AgentMessage;
}

/** The queued messages of a session that were neither sent nor cleared, and the ids of those that were sent. */
export class QueueJournal {
  readonly #pending = new Map<string, QueuedMessage>();
  readonly #sent = new Set<string>();

  /** The waiting messages, in the order in which they were queued. */
  get pending(): QueuedMessage[] {
    return [...this.#pending.values()];
  }

  /** Whether a message with this id has entered the conversation, on any branch. */
  wasSent(queueId: string): boolean {
    return this.#sent.has(queueId);
  }

  /** Reads an entry of the session. Must be called in the order of appending. */
  note(entry: SessionEntry): void {
    if (entry.type === "message") {
      if (entry.queueId === undefined) return;
      this.#pending.delete(entry.queueId);
      this.#sent.add(entry.queueId);
      return;
    }
    if (entry.type !== "custom" || entry.customType !== queueEntryType || !isRecord(entry.data)) return;
    const { op, queue, queueId, message, queueIds } = entry.data;
    if (op === "add" && isQueueName(queue) && typeof queueId === "string" && isUserMessage(message)) {
      this.#pending.set(queueId, { queueId, queue, message });
    } else if (op === "clear" && Array.isArray(queueIds)) {
      for (const id of queueIds) this.#pending.delete(String(id));
    }
  }
}

export function queueAddition({ queue, queueId, message }: QueuedMessage): EntryContent {
  return { type: "custom", customType: queueEntryType, data: { op: "add", queue, queueId, message } };
}

export function queueClearance(queueIds: readonly string[]): EntryContent {
  return { type: "custom", customType: queueEntryType, data: { op: "clear", queueIds } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isQueueName(value: unknown): value is QueueName {
  return value === "steering" || value === "followUp";
}

function isUserMessage(value: unknown): value is AgentMessage {
  return isRecord(value) && value.role === "user" && (typeof value.content === "string" || Array.isArray(value.content));
}
