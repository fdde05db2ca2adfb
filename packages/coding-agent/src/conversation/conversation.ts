import type { AgentMessage } from "@pikit/agent";
import { cutDeep, maxNesting } from "@pikit/ai";
import { SessionError } from "../errors.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import { type BranchContext, entersContext, readBranch } from "./context.ts";
import { ConversationIndex, type Label } from "./conversation-index.ts";
import { carriesSomething, type EntryContent, type SessionEntry, sessionVersion } from "./entries.ts";
import { createEntryId, createSessionId } from "./ids.ts";
import type { QueuedMessage } from "./queue-journal.ts";
import type { OpenedSession, OpenOptions, SessionLine, SessionLockOptions, SessionLog, SessionStore } from "./session-store.ts";
import type { TreeNode } from "./session-tree.ts";
import type { StatsCounter } from "./stats.ts";
import { timestampOf } from "./timestamp.ts";

export interface NewConversation {
  /** The working folder of the tools. */
  cwd: string;
  /** Default: a new UUID. */
  id?: string;
  /** The session that this one continues from. */
  parentSession?: string;
}

/** A session that is not stored yet, because it has only set-up entries. */
export interface Beginning {
  header: SessionHeader;
  entries: readonly SessionEntry[];
}

/**
 * Maximum nesting of an entry: that of data from outside (in a tool call or in details), plus the levels around it. Deeper data is cut in
 * memory; the file keeps it.
 */
const entryLevels = maxNesting + 8;

/**
 * One session: its header, its tree of entries, and the log that stores them. Memory holds the context of the active branch; of all other
 * entries it holds only the place in the tree, and they are read on demand.
 */
export class Conversation {
  readonly header: SessionHeader;
  readonly #index: ConversationIndex;
  readonly #log: SessionLog;
  /** Lines that the log has not stored yet: before the first entry worth storing, during an append, or after a failed one. */
  readonly #unwritten: SessionLine[];
  #isBegun: boolean;
  #writing: Promise<void> | undefined;
  /** The stored messages, so that a message that is reported twice is stored once. */
  readonly #stored = new WeakSet<AgentMessage>();

  private constructor(header: SessionHeader, log: SessionLog, opened?: ConversationIndex) {
    this.header = header;
    this.#log = log;
    this.#index = opened ?? new ConversationIndex();
    this.#unwritten = opened ? [] : [header];
    this.#isBegun = opened !== undefined;
  }

  /** Creates a session. The store gets the complete header, because the name of a session file depends on it. */
  static create(store: Pick<SessionStore, "create">, options: NewConversation): Conversation {
    const header: SessionHeader = {
      type: "session",
      version: sessionVersion,
      id: options.id ?? createSessionId(),
      timestamp: timestampOf(),
      cwd: options.cwd,
      ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    };
    return new Conversation(header, store.create(header));
  }

  /** Creates a session again from the `beginning` of one that was left before it was stored. */
  static beginAgain(store: Pick<SessionStore, "create">, { header, entries }: Beginning): Conversation {
    const conversation = new Conversation(header, store.create(header));
    for (const entry of entries) conversation.#note(entry);
    return conversation;
  }

  /**
   * Opens a session of a store.
   *
   * @throws {SessionError} Like the store's `open`.
   */
  static open(store: Pick<SessionStore, "open">, ref: string, options: SessionLockOptions = {}): Promise<Conversation> {
    return Conversation.#load(store, ref, options);
  }

  /**
   * Opens a session only for reading; another process may be writing it.
   *
   * @throws {SessionError} Like the store's `open`.
   */
  static read(store: Pick<SessionStore, "open">, ref: string): Promise<Conversation> {
    return Conversation.#load(store, ref, { readOnly: true });
  }

  /**
   * Like `open` and `read`, without waiting, for a store that opens sessions at once.
   *
   * @throws {SessionError} Like the store's `open`.
   */
  static openNow(
    store: { open(ref: string, onEntry: (entry: SessionEntry) => void, options?: OpenOptions): OpenedSession },
    ref: string,
    options: OpenOptions = {},
  ): Conversation {
    const index = new ConversationIndex();
    const { header, log } = store.open(ref, (entry) => index.add(cutDeep(entry, entryLevels)), options);
    return new Conversation(header, log, index);
  }

  static async #load(store: Pick<SessionStore, "open">, ref: string, options: OpenOptions): Promise<Conversation> {
    const index = new ConversationIndex();
    const { header, log } = await store.open(ref, (entry) => index.add(cutDeep(entry, entryLevels)), options);
    return new Conversation(header, log, index);
  }

  /** The path of the session file; null if there is none. The file exists from the first message on. */
  get path(): string | null {
    return this.#log.path;
  }

  /** The name of the session in its store. */
  get ref(): string {
    return this.#log.ref;
  }

  /** Messages about damaged or lost data, for the user. The list grows. */
  get diagnostics(): readonly string[] {
    return this.#log.diagnostics;
  }

  /** Whether the session is worth storing: it has more than set-up entries. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** The header and entries of a session that is not worth storing yet; undefined afterwards. */
  get beginning(): Beginning | undefined {
    if (this.#isBegun) return undefined;
    return { header: this.header, entries: this.#unwritten.filter((line) => line.type !== "session") };
  }

  /** Whether entries wait because the log failed to store them. */
  get isBehind(): boolean {
    return this.#isBegun && this.#unwritten.length > 0;
  }

  /** All entries in the order of appending, without their content. */
  get nodes(): readonly TreeNode[] {
    return this.#index.tree.nodes;
  }

  /** The parent of the next entry; null before the first entry. */
  get leafId(): string | null {
    return this.#index.tree.leafId;
  }

  /** The counts of the whole session, on all branches. */
  get stats(): StatsCounter {
    return this.#index.stats;
  }

  /** The latest name of the session; null if it has none. */
  get name(): string | null {
    return this.#index.name;
  }

  /** The labels of entries, by entry id. */
  get labels(): ReadonlyMap<string, Label> {
    return this.#index.labels;
  }

  /** Messages that were queued in this session and not sent yet. */
  get queued(): QueuedMessage[] {
    return this.#index.queue.pending;
  }

  /** Whether a message with this queue id has entered the conversation, on any branch. */
  wasSent(queueId: string): boolean {
    return this.#index.queue.wasSent(queueId);
  }

  /** The node of an entry; undefined for an unknown id. */
  find(id: string): TreeNode | undefined {
    return this.#index.tree.get(id);
  }

  /** The index of an entry in `nodes`; -1 for an unknown id. */
  positionOf(id: string): number {
    return this.#index.tree.positionOf(id);
  }

  /** The path from the root to an entry; empty for null. */
  pathTo(id: string | null): TreeNode[] {
    return this.#index.tree.pathTo(id);
  }

  /** The path from the root to the leaf. */
  activeBranch(): TreeNode[] {
    return this.pathTo(this.leafId);
  }

  /** The first entry after this one on the active branch that belongs to the context; undefined if there is none. */
  nextInContext(entryId: string): string | undefined {
    const branch = this.activeBranch();
    const start = branch.findIndex(({ id }) => id === entryId) + 1;
    return branch.find(({ type }, index) => index >= start && entersContext(type))?.id;
  }

  /** Makes an entry the leaf; null is the place before the first entry. `readContext` then returns the new context. */
  moveTo(id: string | null): void {
    this.#index.tree.moveTo(id);
  }

  /**
   * Reads the context of the active branch. Its entries stay in memory; all others are released.
   *
   * @throws {SessionError} `read_failed`.
   */
  async readContext(): Promise<BranchContext> {
    const nodes = await this.#contextNodes();
    const entries = await this.read(nodes);
    const unwritten = new Set<SessionLine>(this.#unwritten);
    const left = this.#index.hold(nodes, entries, (entry) => unwritten.has(entry));
    if (left.length > 0) this.#log.release?.(left);
    return readBranch(entries);
  }

  /** The entries of the active branch that determine its context, in path order: those in the context, and the last model and level. */
  async contextEntries(): Promise<SessionEntry[]> {
    return this.read(await this.#contextNodes());
  }

  async #contextNodes(): Promise<TreeNode[]> {
    const branch = this.activeBranch();
    const model = branch.findLastIndex(({ type }) => type === "model_change");
    const level = branch.findLastIndex(({ type }) => type === "thinking_level_change");
    const compactionIndex = branch.findLastIndex(({ type }) => type === "compaction");
    const [compaction] = await this.read(branch.slice(compactionIndex, compactionIndex + 1));
    let start = 0;
    if (compaction?.type === "compaction") {
      const keptIndex = branch.findIndex(({ id }) => id === compaction.firstKeptEntryId);
      start = keptIndex >= 0 && keptIndex < compactionIndex ? keptIndex : compactionIndex;
    }
    // The first kept entry must be included, whatever its type, because it marks the start of the kept part.
    return branch.filter(({ type }, at) => at === start || at === model || at === level || (at > start && entersContext(type)));
  }

  /**
   * Reads the entries of these nodes, in this order.
   *
   * @throws {SessionError} `read_failed`.
   */
  async read(nodes: readonly TreeNode[]): Promise<SessionEntry[]> {
    const absent = nodes.filter(({ entry }) => !entry);
    const read = absent.length > 0 ? await this.#readKept(absent.map(({ id }) => id)) : [];
    let next = 0;
    return nodes.map(({ entry }) => entry ?? (read[next++] as SessionEntry));
  }

  /**
   * Like `read`, but without waiting.
   *
   * @throws {SessionError} `read_failed`, also if the store can only read with waiting, as a database does.
   */
  readNow(nodes: readonly TreeNode[]): SessionEntry[] {
    const waiting = this.#waitingEntries();
    const absent = nodes.flatMap(({ id, entry }) => (entry || waiting.has(id) ? [] : [id]));
    const read = absent.length > 0 ? this.#log.read(absent) : [];
    if (!Array.isArray(read)) {
      read.catch(() => undefined);
      throw new SessionError(
        "read_failed",
        "The store of this session cannot read earlier entries at once. Use `await context.lastEntry(type)` for data of an extension.",
      );
    }
    let next = 0;
    return nodes.map(({ id, entry }) => entry ?? waiting.get(id) ?? cutDeep(read[next++] as SessionEntry, entryLevels));
  }

  /** The entries that the log has not stored yet, by id. */
  #waitingEntries(): Map<string, SessionEntry> {
    const waiting = new Map<string, SessionEntry>();
    for (const line of this.#unwritten) if (line.type !== "session") waiting.set(line.id, line);
    return waiting;
  }

  /** Reads released entries from the log. Entries that the log failed to store are still in memory. */
  async #readKept(ids: readonly string[]): Promise<SessionEntry[]> {
    const waiting = this.#waitingEntries();
    const kept = (await this.#log.read(ids.filter((id) => !waiting.has(id)))).map((entry) => cutDeep(entry, entryLevels));
    let next = 0;
    return ids.map((id) => waiting.get(id) ?? (kept[next++] as SessionEntry));
  }

  /** The data of the last custom entry with this type on the active branch; undefined if there is none. */
  async readCustom(customType: string): Promise<unknown> {
    const node = this.activeBranch().findLast(({ type, kind }) => type === "custom" && kind === customType);
    const [entry] = node ? await this.read([node]) : [];
    return entry?.type === "custom" ? entry.data : undefined;
  }

  /** Creates an unused entry id. */
  newEntryId(): string {
    return createEntryId((candidate) => this.#index.tree.has(candidate));
  }

  /** Appends a message, unless the same object was already appended. @param queueId - The id of a queued message. */
  async appendMessage(message: AgentMessage, queueId?: string): Promise<void> {
    if (this.#stored.has(message)) return;
    this.#stored.add(message);
    await this.append(toContent(message, queueId));
  }

  /**
   * Appends an entry to the active branch.
   *
   * @param id - Default: a new id.
   * @throws {SessionError} `write_failed`. The entry is still added in memory, and is written with the next successful append.
   */
  async append(content: EntryContent, id = this.newEntryId()): Promise<SessionEntry> {
    const entry: SessionEntry = {
      ...cutDeep(content, entryLevels),
      id,
      parentId: this.leafId,
      timestamp: timestampOf(),
    };
    await this.adopt([entry]);
    return entry;
  }

  /** Appends entries of another session unchanged. */
  async adopt(entries: readonly SessionEntry[]): Promise<void> {
    for (const entry of entries) this.#note(entry);
    if (this.#isBegun) await this.#write();
    for (const { id, type } of entries) if (!entersContext(type)) this.#release(id);
    // Includes entries that never were in the context: a queued message is in two entries.
    if (entries.some(({ type }) => type === "compaction")) this.#log.release?.(this.#index.compacted.map(({ id }) => id));
  }

  /** Closes the session, so that others can open it. Tries once more to write entries that could not be written. */
  async close(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    if (this.isBehind) await this.#write().catch(() => undefined);
    await this.#log.close();
  }

  #note(entry: SessionEntry): void {
    this.#index.add(entry);
    this.#unwritten.push(entry);
    this.#isBegun ||= carriesSomething(entry);
  }

  #release(id: string): void {
    const node = this.find(id);
    if (node?.entry && !this.#unwritten.includes(node.entry)) node.entry = undefined;
  }

  async #write(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing.catch(() => undefined);
    if (this.#unwritten.length === 0) return;
    const lines = [...this.#unwritten];
    try {
      const writing = this.#log.append(lines, (id) => this.find(id)?.entry);
      if (writing !== undefined) {
        this.#writing = writing;
        await writing;
      }
      this.#unwritten.splice(0, lines.length);
    } finally {
      this.#writing = undefined;
    }
  }
}

/** Custom messages have their own entry type and the time of the entry. */
function toContent(message: AgentMessage, queueId: string | undefined): EntryContent {
  if (message.role !== "custom") return { type: "message", message, ...(queueId === undefined ? {} : { queueId }) };
  const { customType, content, display, details } = message;
  return { type: "custom_message", customType, content, display, ...(details === undefined ? {} : { details }) };
}
