import type { SessionEntry } from "./entries.ts";

/** The entries of a session as a tree, and the leaf at which the conversation stands. */
export class SessionTree {
  readonly #entries: SessionEntry[] = [];
  readonly #byId = new Map<string, SessionEntry>();
  #leafId: string | null = null;

  constructor(entries: readonly SessionEntry[] = []) {
    for (const entry of entries) this.add(entry);
  }

  /** All entries in the order in which they were appended. */
  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  /** The entry that the next one follows; null before the first. */
  get leafId(): string | null {
    return this.#leafId;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Adds an entry and makes it the leaf. One that is there already (a write that failed half-way and was repeated) is passed over. */
  add(entry: SessionEntry): void {
    if (this.#byId.has(entry.id)) return;
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
    this.#leafId = entry.id;
  }

  /** The path from the root to the leaf. An entry whose parent is missing is a root; a cycle ends at the first repeated id. */
  activeBranch(): SessionEntry[] {
    const path: SessionEntry[] = [];
    const seen = new Set<string>();
    let id = this.#leafId;
    while (id !== null && !seen.has(id)) {
      const entry = this.#byId.get(id);
      if (!entry) break;
      seen.add(id);
      path.push(entry);
      id = entry.parentId;
    }
    return path.reverse();
  }
}
