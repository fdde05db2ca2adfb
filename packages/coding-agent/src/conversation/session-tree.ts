import type { SessionEntry } from "./entries.ts";

/** What is known of an entry without its body. */
export interface TreeNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly type: SessionEntry["type"];
  /** The role of a message, the type of a custom entry. */
  readonly kind: string | undefined;
  /** The whole entry, while somebody may need it soon; else it is in the store. */
  entry: SessionEntry | undefined;
}

/** The entries of a session as a tree of ids, and the leaf at which the conversation stands. */
export class SessionTree {
  readonly #nodes: TreeNode[] = [];
  readonly #positions = new Map<string, number>();
  #leafId: string | null = null;

  /** All entries in the order in which they were appended. */
  get nodes(): readonly TreeNode[] {
    return this.#nodes;
  }

  /** The entry that the next one follows; null before the first. */
  get leafId(): string | null {
    return this.#leafId;
  }

  has(id: string): boolean {
    return this.#positions.has(id);
  }

  get(id: string): TreeNode | undefined {
    return this.#nodes[this.positionOf(id)];
  }

  /** Which of all entries it is, from 0; -1 when there is none of that id. */
  positionOf(id: string): number {
    return this.#positions.get(id) ?? -1;
  }

  /**
   * Adds an entry and makes it the leaf.
   *
   * @returns False for one that is there already (a write that failed half-way and was repeated); it is passed over.
   */
  add(entry: SessionEntry): boolean {
    const { id, parentId, type } = entry;
    if (this.#positions.has(id)) return false;
    this.#positions.set(id, this.#nodes.length);
    this.#nodes.push({ id, parentId, type, kind: kindOf(entry), entry });
    this.#leafId = id;
    return true;
  }

  /** Goes to an entry, or before the first one. The next entry follows it. */
  moveTo(id: string | null): void {
    this.#leafId = id;
  }

  /** The path from the root to an entry. One whose parent is missing is a root; a cycle ends at the first repeated id. */
  pathTo(leafId: string | null): TreeNode[] {
    const path: TreeNode[] = [];
    let position = leafId === null ? -1 : this.positionOf(leafId);
    // Only from an entry to one that was appended later can a path come back to where it was, and few files have such.
    let seen: Set<TreeNode> | undefined;
    for (let node = this.#nodes[position]; node; node = this.#nodes[position]) {
      if (seen?.has(node)) break;
      seen?.add(node);
      path.push(node);
      const parentPosition = node.parentId === null ? -1 : this.positionOf(node.parentId);
      if (parentPosition >= position) seen ??= new Set(path);
      position = parentPosition;
    }
    return path.reverse();
  }
}

function kindOf(entry: SessionEntry): string | undefined {
  if (entry.type === "message") return entry.message.role;
  return entry.type === "custom" ? entry.customType : undefined;
}
