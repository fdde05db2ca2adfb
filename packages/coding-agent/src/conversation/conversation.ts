import type { AgentMessage } from "@pikit/agent";
import type { SessionHeader } from "../protocol/frames.ts";
import { type BranchContext, readBranch } from "./context.ts";
import { carriesSomething, type EntryContent, type LoadedSession, type SessionEntry, sessionVersion } from "./entries.ts";
import { createEntryId, createSessionId } from "./ids.ts";
import { memoryStore, type SessionStore } from "./session-store.ts";
import { SessionTree } from "./session-tree.ts";

export interface NewConversation {
  /** The folder that tools work in. */
  cwd: string;
  /** Default: a new UUID. */
  id?: string;
  /** The session file that this one continues from. */
  parentSession?: string;
}

/** One session: its header, its entries, and the store that keeps them. What is appended is stored first and in effect afterwards. */
export class Conversation {
  readonly header: SessionHeader;
  readonly #tree: SessionTree;
  readonly #store: SessionStore;
  /** Lines that wait: for the first entry that is worth a file, or for a store that works again. */
  #unwritten: (SessionHeader | SessionEntry)[];
  #isBegun: boolean;
  /** Messages that are stored already, so that a message told of in two ways is stored once. */
  readonly #stored = new WeakSet<AgentMessage>();

  /** What could not be read when the session was opened, for people. */
  readonly diagnostics: readonly string[];

  private constructor({ header, entries, diagnostics }: LoadedSession, store: SessionStore, isWritten: boolean) {
    this.header = header;
    this.diagnostics = diagnostics;
    this.#tree = new SessionTree(entries);
    this.#store = store;
    this.#unwritten = isWritten ? [] : [header];
    this.#isBegun = isWritten;
  }

  /** Begins a session. Its store is made for the finished header, since a file's name comes from it. */
  static create(options: NewConversation, createStore: (header: SessionHeader) => SessionStore = () => memoryStore): Conversation {
    const header: SessionHeader = {
      type: "session",
      version: sessionVersion,
      id: options.id ?? createSessionId(),
      timestamp: new Date().toISOString(),
      cwd: options.cwd,
      ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    };
    return new Conversation({ header, entries: [], diagnostics: [] }, createStore(header), false);
  }

  /** Goes on with a session that was read from `store`. */
  static resume(loaded: LoadedSession, store: SessionStore): Conversation {
    return new Conversation(loaded, store, true);
  }

  /** The session's file; null when it has none. It exists from the first message on. */
  get path(): string | null {
    return this.#store.path;
  }

  /** Whether entries wait for a store that works again. */
  get isBehind(): boolean {
    return this.#isBegun && this.#unwritten.length > 0;
  }

  get entries(): readonly SessionEntry[] {
    return this.#tree.entries;
  }

  /** What the active branch says. */
  readContext(): BranchContext {
    return readBranch(this.#tree.activeBranch());
  }

  /** The name last given to the session; null when it has none. */
  get name(): string | null {
    const info = this.#tree.activeBranch().findLast((entry) => entry.type === "session_info");
    return info?.type === "session_info" ? (info.name ?? null) : null;
  }

  /** Appends a message, unless this very object has been appended before. */
  async appendMessage(message: AgentMessage): Promise<void> {
    if (this.#stored.has(message)) return;
    this.#stored.add(message);
    await this.append({ type: "message", message });
  }

  /**
   * Appends an entry to the active branch.
   *
   * @throws {SessionError} `write_failed`. The entry is in effect in memory all the same, and is written with the next one that can be.
   */
  async append(content: EntryContent): Promise<SessionEntry> {
    const id = createEntryId((candidate) => this.#tree.has(candidate));
    const entry: SessionEntry = { ...content, id, parentId: this.#tree.leafId, timestamp: new Date().toISOString() };
    this.#tree.add(entry);
    this.#unwritten.push(entry);
    if (this.#isBegun || carriesSomething(content)) await this.#write();
    return entry;
  }

  /** Lets others write to the session. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  async #write(): Promise<void> {
    const lines = this.#unwritten;
    this.#unwritten = [];
    this.#isBegun = true;
    try {
      await this.#store.append(lines, () => [this.header, ...this.#tree.entries]);
    } catch (error) {
      this.#unwritten = [...lines, ...this.#unwritten];
      throw error;
    }
  }
}
