import type { BranchContext } from "../../src/conversation/context.ts";
import type { EntryContent, SessionEntry } from "../../src/conversation/entries.ts";
import type { QueuedMessage } from "../../src/conversation/queue-journal.ts";
import type { EntryTreeNode } from "../../src/protocol/entries.ts";

/** What a session should say, worked out anew from all its entries each time: the slow and simple twin of `Conversation`. */
export class ModelSession {
  entries: SessionEntry[] = [];
  leafId: string | null = null;

  add(entry: SessionEntry): void {
    this.entries.push(entry);
    this.leafId = entry.id;
  }

  path(leafId: string | null = this.leafId): SessionEntry[] {
    const entry = this.entries.find(({ id }) => id === leafId);
    return entry ? [...this.path(entry.parentId), entry] : [];
  }

  get name(): string | null {
    return this.#last("session_info")?.name ?? null;
  }

  get labels(): Map<string, string> {
    const labels = new Map<string, string>();
    for (const entry of this.entries) {
      if (entry.type !== "label") continue;
      if (entry.label === undefined) labels.delete(entry.targetId);
      else labels.set(entry.targetId, entry.label);
    }
    return labels;
  }

  /** Ids of the queued messages that have neither been said nor cleared, in the order of queueing. */
  get queued(): string[] {
    const added = this.#queueData().flatMap(({ op, queueId }) => (op === "add" ? [queueId as string] : []));
    const cleared = this.#queueData().flatMap(({ op, queueIds }) => (op === "clear" ? (queueIds as string[]) : []));
    const said = this.entries.flatMap((entry) => (entry.type === "message" && entry.queueId ? [entry.queueId] : []));
    return added.filter((id) => !cleared.includes(id) && !said.includes(id));
  }

  get context(): BranchContext {
    const path = this.path();
    const compactedAt = path.findLastIndex(({ type }) => type === "compaction");
    const compaction = path[compactedAt];
    const keptAt = path.findIndex(({ id }) => compaction?.type === "compaction" && id === compaction.firstKeptEntryId);
    const visible = path.filter((_entry, at) => at > compactedAt || (keptAt >= 0 && at >= keptAt && at < compactedAt));
    const model = path.findLast(({ type }) => type === "model_change");
    const level = path.findLast(({ type }) => type === "thinking_level_change");
    return {
      messages: [compaction, ...visible].flatMap((entry) => (entry === undefined ? [] : messageOf(entry, entry === compaction))),
      model: model?.type === "model_change" ? { provider: model.provider, modelId: model.modelId } : undefined,
      thinkingLevel: level?.type === "thinking_level_change" ? level.thinkingLevel : undefined,
    };
  }

  get tree(): EntryTreeNode[] {
    return this.#childrenOf(null);
  }

  /** The data of the custom entry of that type that is nearest to the leaf. */
  custom(customType: string): unknown {
    const found = this.path().findLast((entry) => entry.type === "custom" && entry.customType === customType);
    return found?.type === "custom" ? found.data : undefined;
  }

  /** What a fork of the path to an entry begins with. */
  fork(leafId: string | null): ModelSession {
    const fork = new ModelSession();
    for (const entry of this.path(leafId)) fork.add(entry);
    return fork;
  }

  #childrenOf(parentId: string | null): EntryTreeNode[] {
    return this.entries
      .filter((entry) => entry.parentId === parentId)
      .map((entry) => {
        const label = this.labels.get(entry.id);
        const given = this.entries.findLast((other) => other.type === "label" && other.targetId === entry.id);
        return {
          entry,
          children: this.#childrenOf(entry.id),
          ...(label === undefined ? {} : { label, labelTimestamp: given?.timestamp as string }),
        };
      });
  }

  #queueData(): Record<string, unknown>[] {
    return this.entries.flatMap((entry) =>
      entry.type === "custom" && entry.customType === "pikit.queue" ? [entry.data as Record<string, unknown>] : [],
    );
  }

  #last<T extends EntryContent["type"]>(type: T): Extract<SessionEntry, { type: T }> | undefined {
    return this.entries.findLast((entry): entry is Extract<SessionEntry, { type: T }> => entry.type === type);
  }
}

function messageOf(entry: SessionEntry, isSummary: boolean): BranchContext["messages"] {
  const timestamp = Date.parse(entry.timestamp);
  if (entry.type === "message") return [entry.message];
  if (entry.type === "custom_message") {
    const { customType, content, display } = entry;
    return [{ role: "custom", customType, content, display, timestamp }];
  }
  if (entry.type === "compaction" && isSummary) {
    return [{ role: "compactionSummary", summary: entry.summary, tokensBefore: entry.tokensBefore, timestamp }];
  }
  return [];
}

/** The ids under which messages wait. */
export function queueIdsOf(queued: readonly QueuedMessage[]): string[] {
  return queued.map(({ queueId }) => queueId);
}
