import type { AgentMessage } from "@pikit/agent";
import { cutDeep, maxNesting } from "@pikit/ai";
import type { SessionHeader } from "../protocol/frames.ts";
import { type BranchContext, entersContext, readBranch } from "./context.ts";
import { ConversationIndex, type Label } from "./conversation-index.ts";
import { carriesSomething, type EntryContent, type SessionEntry, sessionVersion } from "./entries.ts";
import { createEntryId, createSessionId } from "./ids.ts";
import type { QueuedMessage } from "./queue-journal.ts";
import type { OpenOptions, SessionLine, SessionLog, SessionStore } from "./session-store.ts";
import type { TreeNode } from "./session-tree.ts";
import type { StatsCounter } from "./stats.ts";

export interface NewConversation {
  /** The folder that tools work in. */
  cwd: string;
  /** Default: a new UUID. */
  id?: string;
  /** The session that this one continues from. */
  parentSession?: string;
}

/** A session of which nothing has been kept: it has only been set up. */
export interface Beginning {
  header: SessionHeader;
  entries: readonly SessionEntry[];
}

/**
 * Levels of an entry: those that data of others may have, in a call of a message or in details, and those around it. What is deeper is in
 * effect nowhere; the file keeps it.
 */
const entryLevels = maxNesting + 8;

/**
 * One session: its header, its tree of entries, and the log that keeps them. What is appended is kept first and in effect afterwards.
 * In memory are the context of the active branch and, of all other entries, their place in the tree; those are read when somebody asks.
 */
export class Conversation {
  readonly header: SessionHeader;
  readonly #index: ConversationIndex;
  readonly #log: SessionLog;
  /** Lines that the log has not kept yet: before the first entry that is worth keeping, while an append goes, after one that failed. */
  readonly #unwritten: SessionLine[];
  #isBegun: boolean;
  #writing: Promise<void> | undefined;
  /** Messages that are stored already, so that a message told of in two ways is stored once. */
  readonly #stored = new WeakSet<AgentMessage>();

  private constructor(header: SessionHeader, log: SessionLog, opened?: ConversationIndex) {
    this.header = header;
    this.#log = log;
    this.#index = opened ?? new ConversationIndex();
    this.#unwritten = opened ? [] : [header];
    this.#isBegun = opened !== undefined;
  }

  /** Begins a session. The store is given the finished header, since a file's name comes from it. */
  static create(store: Pick<SessionStore, "create">, options: NewConversation): Conversation {
    const header: SessionHeader = {
      type: "session",
      version: sessionVersion,
      id: options.id ?? createSessionId(),
      timestamp: new Date().toISOString(),
      cwd: options.cwd,
      ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    };
    return new Conversation(header, store.create(header));
  }

  /** Begins a session that was left before it was worth keeping, as its `beginning` tells. */
  static beginAgain(store: Pick<SessionStore, "create">, { header, entries }: Beginning): Conversation {
    const conversation = new Conversation(header, store.create(header));
    for (const entry of entries) conversation.#note(entry);
    return conversation;
  }

  /**
   * Goes on with a session of a store.
   *
   * @throws {SessionError} As the store's `open`.
   */
  static open(store: Pick<SessionStore, "open">, ref: string): Promise<Conversation> {
    return Conversation.#load(store, ref, {});
  }

  /**
   * Reads a session that somebody else may be writing. Nothing can be appended to it.
   *
   * @throws {SessionError} As the store's `open`.
   */
  static read(store: Pick<SessionStore, "open">, ref: string): Promise<Conversation> {
    return Conversation.#load(store, ref, { readOnly: true });
  }

  static async #load(store: Pick<SessionStore, "open">, ref: string, options: OpenOptions): Promise<Conversation> {
    const index = new ConversationIndex();
    const { header, log } = await store.open(ref, (entry) => index.add(cutDeep(entry, entryLevels)), options);
    return new Conversation(header, log, index);
  }

  /** The session's file; null when it has none. It exists from the first message on. */
  get path(): string | null {
    return this.#log.path;
  }

  /** What names the session in its store. */
  get ref(): string {
    return this.#log.ref;
  }

  /** What was found damaged or lost, for people; grows. */
  get diagnostics(): readonly string[] {
    return this.#log.diagnostics;
  }

  /** Whether the session is worth keeping: it has more than a beginning. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** What there is of a session that is not worth keeping yet; undefined as soon as it is. */
  get beginning(): Beginning | undefined {
    if (this.#isBegun) return undefined;
    return { header: this.header, entries: this.#unwritten.filter((line) => line.type !== "session") };
  }

  /** Whether entries wait for a log that works again. */
  get isBehind(): boolean {
    return this.#isBegun && this.#unwritten.length > 0;
  }

  /** All entries in the order in which they were appended, without their bodies. */
  get nodes(): readonly TreeNode[] {
    return this.#index.tree.nodes;
  }

  /** The entry that the next one follows; null before the first. */
  get leafId(): string | null {
    return this.#index.tree.leafId;
  }

  /** Counts of everything in the session, whatever branch it is on. */
  get stats(): StatsCounter {
    return this.#index.stats;
  }

  /** The name last given to the session; null when it has none. */
  get name(): string | null {
    return this.#index.name;
  }

  /** Names of entries, by the id of the entry. */
  get labels(): ReadonlyMap<string, Label> {
    return this.#index.labels;
  }

  /** Messages that were queued in this session and have not been said. */
  get queued(): QueuedMessage[] {
    return this.#index.queue.pending;
  }

  /** The node of an entry; undefined when there is none of that id. */
  find(id: string): TreeNode | undefined {
    return this.#index.tree.get(id);
  }

  /** Which of all entries it is, from 0; -1 when there is none of that id. */
  positionOf(id: string): number {
    return this.#index.tree.positionOf(id);
  }

  /** The path from the root to an entry; null is the place before the first. */
  pathTo(id: string | null): TreeNode[] {
    return this.#index.tree.pathTo(id);
  }

  /** The path from the root to the leaf. */
  activeBranch(): TreeNode[] {
    return this.pathTo(this.leafId);
  }

  /** The first entry behind this one on the active branch that has a part in the context; undefined when there is none. */
  nextInContext(entryId: string): string | undefined {
    const branch = this.activeBranch();
    const start = branch.findIndex(({ id }) => id === entryId) + 1;
    return branch.find(({ type }, index) => index >= start && entersContext(type))?.id;
  }

  /** Goes to an entry, or before the first one; the next entry follows it. What the context is now, `readContext` tells. */
  moveTo(id: string | null): void {
    this.#index.tree.moveTo(id);
  }

  /**
   * What the active branch says. Its entries stay in memory, and all others are let go of.
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

  /** The entries of the active branch that decide what it says, in path order: those in the context, and the last model and level. */
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
    // The first one that was kept has to be there, whatever it is, so that its place is found.
    return branch.filter(({ type }, at) => at === start || at === model || at === level || (at > start && entersContext(type)));
  }

  /**
   * The entries of these nodes, in this order.
   *
   * @throws {SessionError} `read_failed`.
   */
  async read(nodes: readonly TreeNode[]): Promise<SessionEntry[]> {
    const absent = nodes.filter(({ entry }) => !entry);
    const read = absent.length > 0 ? await this.#readKept(absent.map(({ id }) => id)) : [];
    let next = 0;
    return nodes.map(({ entry }) => entry ?? (read[next++] as SessionEntry));
  }

  /** What has been let go of is in the log, unless the log does not work. */
  async #readKept(ids: readonly string[]): Promise<SessionEntry[]> {
    const waiting = new Map<string, SessionEntry>();
    for (const line of this.#unwritten) if (line.type !== "session") waiting.set(line.id, line);
    const kept = (await this.#log.read(ids.filter((id) => !waiting.has(id)))).map((entry) => cutDeep(entry, entryLevels));
    let next = 0;
    return ids.map((id) => waiting.get(id) ?? (kept[next++] as SessionEntry));
  }

  /** The data of the custom entry of that type which is nearest to the leaf; undefined when the active branch has none. */
  async readCustom(customType: string): Promise<unknown> {
    const node = this.activeBranch().findLast(({ type, kind }) => type === "custom" && kind === customType);
    const [entry] = node ? await this.read([node]) : [];
    return entry?.type === "custom" ? entry.data : undefined;
  }

  /** An id that no entry has yet. */
  newEntryId(): string {
    return createEntryId((candidate) => this.#index.tree.has(candidate));
  }

  /** Appends a message, unless this very object has been appended before. A queued one brings the id that it was queued under. */
  async appendMessage(message: AgentMessage, queueId?: string): Promise<void> {
    if (this.#stored.has(message)) return;
    this.#stored.add(message);
    await this.append(toContent(message, queueId));
  }

  /**
   * Appends an entry to the active branch, under an id that `newEntryId` gave, or a new one.
   *
   * @throws {SessionError} `write_failed`. The entry is in effect in memory all the same, and is written with the next one that can be.
   */
  async append(content: EntryContent, id = this.newEntryId()): Promise<SessionEntry> {
    const entry: SessionEntry = {
      ...cutDeep(content, entryLevels),
      id,
      parentId: this.leafId,
      timestamp: new Date().toISOString(),
    };
    await this.adopt([entry]);
    return entry;
  }

  /** Appends entries of another session as they are. */
  async adopt(entries: readonly SessionEntry[]): Promise<void> {
    for (const entry of entries) this.#note(entry);
    if (this.#isBegun) await this.#write();
    for (const { id, type } of entries) if (!entersContext(type)) this.#release(id);
    // Also those that never were in the context: a message that was queued is in two entries.
    if (entries.some(({ type }) => type === "compaction")) this.#log.release?.(this.#index.compacted.map(({ id }) => id));
  }

  /** Lets others write to the session. What could not be written is tried a last time. */
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

/** Custom messages have entries of their own kind, with the entry's time. */
function toContent(message: AgentMessage, queueId: string | undefined): EntryContent {
  if (message.role !== "custom") return { type: "message", message, ...(queueId === undefined ? {} : { queueId }) };
  const { customType, content, display, details } = message;
  return { type: "custom_message", customType, content, display, ...(details === undefined ? {} : { details }) };
}
