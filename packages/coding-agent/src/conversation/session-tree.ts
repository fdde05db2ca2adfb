import type { SessionEntry } from "./entries.ts";

/** An entry without its content. */
export interface TreeNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly type: SessionEntry["type"];
  /** The role of a message, or the type of a custom entry. */
  readonly kind: string | undefined;
  /** The complete entry while it is in memory; otherwise it is only in the store. */
  entry: SessionEntry | undefined;
}

/** The entries of a session as a tree of ids, and the current leaf. */
export class SessionTree {
  readonly #nodes: TreeNode[] = [];
  readonly #positions = new Map<string, number>();
  #leafId: string | null = null;

  /** All entries in the order of appending. */
  get nodes(): readonly TreeNode[] {
    return this.#nodes;
  }

  /** The parent of the next entry; null before the first entry. */
  get leafId(): string | null {
    return this.#leafId;
  }

  has(id: string): boolean {
    return this.#positions.has(id);
  }

  get(id: string): TreeNode | undefined {
    return this.#nodes[this.positionOf(id)];
  }

  /** The index of an entry in `nodes`; -1 for an unknown id. */
  positionOf(id: string): number {
    return this.#positions.get(id) ?? -1;
  }

  /**
   * Adds an entry and makes it the leaf.
   *
   * @returns False if the id already exists, because a partial write was repeated; the entry is then ignored.
   */
  add(entry: SessionEntry): boolean {
    const { id, parentId, type } = entry;
    if (this.#positions.has(id)) return false;
    this.#positions.set(id, this.#nodes.length);
    this.#nodes.push({ id, parentId, type, kind: kindOf(entry), entry });
    this.#leafId = id;
    return true;
  }

  /** Makes an entry the leaf; null is the place before the first entry. */
  moveTo(id: string | null): void {
    this.#leafId = id;
  }

  /** The path from the root to an entry. An entry with a missing parent is a root; a cycle ends at the first repeated id. */
  pathTo(leafId: string | null): TreeNode[] {
    const path: TreeNode[] = [];
    let position = leafId === null ? -1 : this.positionOf(leafId);
    // A cycle needs a parent that was appended later than its child, which is rare, so `seen` is created only then.
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
