import type { SessionEntry } from "./entries.ts";
import { QueueJournal } from "./queue-journal.ts";
import { SessionTree, type TreeNode } from "./session-tree.ts";
import { StatsCounter } from "./stats.ts";

/** A name that somebody gave to an entry. */
export interface Label {
  label: string;
  /** When; ISO 8601. */
  timestamp: string;
}

/** What is kept in memory of all entries of a session, whatever branch they are on. */
export class ConversationIndex {
  readonly tree = new SessionTree();
  readonly queue = new QueueJournal();
  readonly stats = new StatsCounter();
  readonly #labels = new Map<string, Label>();
  #name: string | null = null;
  /** How many nodes, from the first on, a compaction has replaced and none of which has its entry. */
  #compactedCount = 0;

  /** The name given last; null when there is none. */
  get name(): string | null {
    return this.#name;
  }

  /** By the id of the entry that has it. */
  get labels(): ReadonlyMap<string, Label> {
    return this.#labels;
  }

  /** The entries before the first one that the last compaction has kept. */
  get compacted(): readonly TreeNode[] {
    return this.tree.nodes.slice(0, this.#compactedCount);
  }

  /** Takes notice of an entry, in the order of appending. */
  add(entry: SessionEntry): void {
    if (!this.tree.add(entry)) return;
    this.queue.note(entry);
    this.stats.add(entry);
    if (entry.type === "session_info") this.#name = entry.name ?? null;
    else if (entry.type === "label") this.#setLabel(entry.targetId, entry.label, entry.timestamp);
    else if (entry.type === "compaction") this.#releaseBefore(entry.firstKeptEntryId);
  }

  /**
   * Has these entries in memory, and of all others only those that may not be let go of.
   *
   * @returns The ids of those that are not in memory any more.
   */
  hold(nodes: readonly TreeNode[], entries: readonly SessionEntry[], isNeeded: (entry: SessionEntry) => boolean): string[] {
    const before = this.tree.nodes.filter(({ entry }) => entry && !isNeeded(entry));
    for (const node of before) node.entry = undefined;
    nodes.forEach((node, index) => {
      node.entry = entries[index];
    });
    // The branch may begin before what a compaction of another one has kept.
    this.#compactedCount = 0;
    return before.flatMap(({ id, entry }) => (entry ? [] : [id]));
  }

  #setLabel(targetId: string, label: string | undefined, timestamp: string): void {
    if (label) this.#labels.set(targetId, { label, timestamp });
    else this.#labels.delete(targetId);
  }

  /**
   * Which branch will be active is known when all is read; until then every entry may be in the context, and reading it again would cost
   * as much as the whole loading. What comes before a compaction mostly is not.
   */
  #releaseBefore(keptId: string): void {
    const end = this.tree.positionOf(keptId);
    for (; this.#compactedCount < end; this.#compactedCount += 1) {
      const node = this.tree.nodes[this.#compactedCount];
      if (node) node.entry = undefined;
    }
  }
}
