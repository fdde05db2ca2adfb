import type { SessionEntry } from "./entries.ts";
import { QueueJournal } from "./queue-journal.ts";
import { SessionTree, type TreeNode } from "./session-tree.ts";
import { StatsCounter } from "./stats.ts";

/** A label of an entry, set by the user or a program. */
export interface Label {
  label: string;
  /** The time at which it was set; ISO 8601. */
  timestamp: string;
}

/** The data in memory about all entries of a session, on all branches. */
export class ConversationIndex {
  readonly tree = new SessionTree();
  readonly queue = new QueueJournal();
  readonly stats = new StatsCounter();
  readonly #labels = new Map<string, Label>();
  #name: string | null = null;
  /** The number of nodes at the start that a compaction has replaced. None of them has its entry in memory. */
  #compactedCount = 0;

  /** The latest name; null if there is none. */
  get name(): string | null {
    return this.#name;
  }

  /** The labels, by entry id. */
  get labels(): ReadonlyMap<string, Label> {
    return this.#labels;
  }

  /** The entries before the first one that the latest compaction has kept. */
  get compacted(): readonly TreeNode[] {
    return this.tree.nodes.slice(0, this.#compactedCount);
  }

  /** Adds an entry. Must be called in the order of appending. */
  add(entry: SessionEntry): void {
    if (!this.tree.add(entry)) return;
    this.queue.note(entry);
    this.stats.add(entry);
    if (entry.type === "session_info") this.#name = entry.name ?? null;
    else if (entry.type === "label") this.#setLabel(entry.targetId, entry.label, entry.timestamp);
    else if (entry.type === "compaction") this.#releaseBefore(entry.firstKeptEntryId);
  }

  /**
   * Keeps these entries in memory and releases all others that are not needed.
   *
   * @returns The ids of the released entries.
   */
  hold(nodes: readonly TreeNode[], entries: readonly SessionEntry[], isNeeded: (entry: SessionEntry) => boolean): string[] {
    const before = this.tree.nodes.filter(({ entry }) => entry && !isNeeded(entry));
    for (const node of before) node.entry = undefined;
    nodes.forEach((node, index) => {
      node.entry = entries[index];
    });
    // The branch may begin before the entries that a compaction of another branch has kept.
    this.#compactedCount = 0;
    return before.flatMap(({ id, entry }) => (entry ? [] : [id]));
  }

  #setLabel(targetId: string, label: string | undefined, timestamp: string): void {
    if (label) this.#labels.set(targetId, { label, timestamp });
    else this.#labels.delete(targetId);
  }

  /**
   * Releases the entries before a compaction while the session is loading. The active branch is known only at the end, so other entries stay
   * in memory: reading them again would take as long as loading. Entries before a compaction are rarely in the context.
   */
  #releaseBefore(keptId: string): void {
    const end = this.tree.positionOf(keptId);
    for (; this.#compactedCount < end; this.#compactedCount += 1) {
      const node = this.tree.nodes[this.#compactedCount];
      if (node) node.entry = undefined;
    }
  }
}
