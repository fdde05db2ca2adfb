import { realpathSync } from "node:fs";
import { type BranchContext, entersContext } from "../../conversation/context.ts";
import { Conversation, type NewConversation } from "../../conversation/conversation.ts";
import type { SessionEntry } from "../../conversation/entries.ts";
import { forkConversation } from "../../conversation/fork.ts";
import { openConversation } from "../../conversation/open-session.ts";
import { readTree } from "../../conversation/read-tree.ts";
import type { SessionLockOptions, SessionStore } from "../../conversation/session-store.ts";
import type { TreeNode } from "../../conversation/session-tree.ts";
import { SessionError } from "../../errors.ts";
import type { SessionMove } from "../../extensions/events.ts";
import { typedTextOf } from "../../prompt/typed-text.ts";
import type { EntryTreeNode } from "../../protocol/entries.ts";
import type { SessionHeader } from "../../protocol/frames.ts";
import type { Transcript } from "./transcript.ts";
import { UnwrittenSessions } from "./unwritten-sessions.ts";

/** A message of the user at which the conversation can go another way. */
export interface BranchPoint {
  entryId: string;
  /** Position among the messages of the active path, from 0, whether a compaction has replaced them or not. */
  entryIndex: number;
  /** As it was typed. */
  text: string;
}

export interface HistoryParts {
  store: SessionStore;
  /** Settles what is going and does `work` before another run can start. */
  between<T>(work: () => Promise<T>): Promise<T>;
  transcript: Transcript;
  /**
   * Asked before the session goes elsewhere, while a run may still be going.
   *
   * @throws {SessionError} `cancelled` when it may not.
   */
  beforeMove(move: SessionMove): Promise<void>;
  /** Called when it has gone there, and a run can start. */
  afterMove(move: SessionMove): Promise<void>;
  /** Called when the session has another name. */
  onRenamed(name: string): void | Promise<void>;
  /** Called when another conversation, or another branch, is in effect; before a run can start. */
  onMoved(context: BranchContext): Promise<void>;
}

/**
 * The conversation as a tree on disk: what it holds, and the ways to another branch of it or to another session. Each of those first
 * settles the run that is going; what fails leaves everything as it was, and each rejects with `cancelled` where an extension refuses.
 */
export class SessionHistory {
  readonly #parts: HistoryParts;
  readonly #unwritten = new UnwrittenSessions();

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  /** The entry at which the conversation stands; null before the first. */
  get leafId(): string | null {
    return this.#current.leafId;
  }

  /** The header that a file or an event stream of this session begins with. */
  get header(): SessionHeader {
    return this.#current.header;
  }

  /** Problems that were found while the session's file was read, for people; empty when there were none. */
  get diagnostics(): readonly string[] {
    return this.#current.diagnostics;
  }

  /**
   * Why a part of the conversation is not stored; undefined when all of it is. An `error` event has told it too. The missing part is
   * stored with the next entry; `dispose` tries it a last time.
   */
  get unsavedReason(): string | undefined {
    return this.#parts.transcript.unsavedReason;
  }

  /** The session's name; null when it has none. */
  get name(): string | null {
    return this.#current.name;
  }

  /**
   * The entries in the order in which they were appended, those of other branches included.
   *
   * @param options - `since`: only those after the entry of this id; `limit`: at most so many.
   * @throws {SessionError} `not_found` when there is no entry `since`; `read_failed`.
   */
  async entries({ since, limit }: { since?: string; limit?: number } = {}): Promise<SessionEntry[]> {
    const start = since === undefined ? 0 : this.#current.positionOf(this.#requireEntry(since).id) + 1;
    return this.#current.read(this.#current.nodes.slice(start, limit === undefined ? undefined : start + limit));
  }

  /** All entries as trees, oldest first. They are as deep as the conversation is long: walk them with a stack, not by recursion. */
  tree(): Promise<EntryTreeNode[]> {
    return readTree(this.#current);
  }

  /** @throws {SessionError} `invalid_input` for an empty name. Line breaks become spaces. */
  async setName(name: string): Promise<void> {
    const plain = name.replace(/[\r\n\u0085\u2028\u2029]+/g, " ").trim();
    if (plain === "") throw new SessionError("invalid_input", "Session name cannot be empty");
    await this.#parts.transcript.append({ type: "session_info", name: plain });
    await this.#parts.onRenamed(plain);
  }

  /**
   * Gives an entry a name; without one, takes it away.
   *
   * @throws {SessionError} `not_found` when there is no such entry.
   */
  async setLabel(entryId: string, label?: string): Promise<void> {
    this.#requireEntry(entryId);
    await this.#parts.transcript.append({ type: "label", targetId: entryId, ...(label ? { label } : {}) });
  }

  /** Begins an empty session with the same model and store, and the same folder unless `cwd` names another one. */
  async startNew(options: Partial<NewConversation> = {}): Promise<void> {
    await this.#move({ reason: "new" }, () =>
      this.#parts.between(() => {
        return this.#replaceBy(Conversation.create(this.#parts.store, { cwd: this.#current.header.cwd, ...options }));
      }),
    );
  }

  /**
   * Goes on with another session: its messages, model, folder and queues. The one that is open already is shown again where it stands.
   *
   * @param ref - The path of its file, or what its store calls it.
   * @param options - `takeOverLock`: as in `CreateAgentSessionOptions`, for this session.
   * @throws {SessionError} `not_found` (also when its working folder is gone), `locked`, `read_failed`, `not_a_session`,
   *   `unsupported_version`.
   */
  open(ref: string, options?: SessionLockOptions): Promise<void> {
    return this.#move({ reason: "switch", target: ref }, () => this.#open(ref, options));
  }

  async #open(ref: string, options?: SessionLockOptions): Promise<void> {
    if (this.#isCurrent(ref)) {
      await this.#parts.between(() => this.#show(this.#current));
      return;
    }
    const conversation = this.#unwritten.begin(this.#parts.store, ref) ?? (await openConversation(this.#parts.store, ref, options));
    await this.#parts.between(() => this.#replaceBy(conversation));
  }

  /**
   * Copies the path up to a message of the user, without it, into a new session, and goes there.
   *
   * @returns The message's text.
   * @throws {SessionError} `not_found` when the entry is no message of the user; `read_failed`, `write_failed`.
   */
  async fork(entryId: string): Promise<string> {
    const node = this.#requireUserMessage(this.#current.find(entryId), entryId);
    const text = await this.#textOf(node);
    await this.#move({ reason: "fork", target: entryId }, () => this.#copy(() => node.parentId));
    return text;
  }

  /** Copies the active path into a new session and goes there. */
  clone(): Promise<void> {
    return this.#move({ reason: "clone" }, () => this.#copy(() => this.#current.leafId));
  }

  /**
   * Goes back before a message of the user, in the same session. What was said since stays on a branch of its own.
   *
   * @param entry - Its id, or its position among the messages of the active path, as `branchPoints` counts them.
   * @returns The message's text.
   * @throws {SessionError} `not_found` when it is no message of the user on the active path.
   */
  branch(entry: string | number): Promise<string> {
    return this.#move({ reason: "branch", target: String(entry) }, () => this.#branch(entry));
  }

  #branch(entry: string | number): Promise<string> {
    return this.#parts.between(async () => {
      const messages = this.#messagesOfPath();
      const named = typeof entry === "string" ? messages.find(({ id }) => id === entry) : messages[entry];
      const node = this.#requireUserMessage(named, entry);
      const text = await this.#textOf(node);
      const before = this.#current.leafId;
      this.#current.moveTo(node.parentId);
      try {
        await this.#show(this.#current);
      } catch (error) {
        this.#current.moveTo(before);
        throw error;
      }
      return text;
    });
  }

  /** The messages of the user on the active path, first to last. */
  async branchPoints(): Promise<BranchPoint[]> {
    const points = [...this.#messagesOfPath().entries()].filter(([, node]) => isUserMessage(node));
    const entries = await this.#current.read(points.map(([, node]) => node));
    return points.map(([entryIndex, { id }], place) => ({ entryId: id, entryIndex, text: textOf(entries[place]) }));
  }

  /**
   * Writes the active branch to a file as one HTML page that needs nothing else.
   *
   * @param outputPath - Relative to the working folder. Default: `pi-session-<id>.html`.
   * @returns The absolute path.
   * @throws {SessionError} `write_failed`, `read_failed`.
   */
  async exportHtml(outputPath?: string): Promise<string> {
    const { exportHtml } = await import("../../export/export-html.ts");
    return exportHtml(this.#current, { cwd: this.#current.header.cwd, outputPath });
  }

  async #move<T>(move: SessionMove, go: () => Promise<T>): Promise<T> {
    await this.#parts.beforeMove(move);
    const result = await go();
    await this.#parts.afterMove(move);
    return result;
  }

  get #current(): Conversation {
    return this.#parts.transcript.conversation;
  }

  /** What `get_messages` would give, had nothing been compacted. */
  #messagesOfPath(): TreeNode[] {
    return this.#current.activeBranch().filter(({ type }) => type !== "compaction" && entersContext(type));
  }

  #requireEntry(id: string): TreeNode {
    const node = this.#current.find(id);
    if (!node) throw new SessionError("not_found", `There is no entry "${id}" in this session. See get_entries.`);
    return node;
  }

  #isCurrent(ref: string): boolean {
    const { ref: current, path } = this.#current;
    return ref === current || (path !== null && realPath(ref) === realPath(path));
  }

  /** @param findLeaf - Asked when the run has settled, which may have added to the path. */
  async #copy(findLeaf: () => string | null): Promise<void> {
    const { store } = this.#parts;
    await this.#parts.between(async () => {
      const source = this.#current;
      await this.#replaceBy(await forkConversation({ store, source, leafId: findLeaf(), cwd: source.header.cwd }));
    });
  }

  /** Goes over to another conversation and lets go of the one before; of the other one when it cannot be read. */
  async #replaceBy(conversation: Conversation): Promise<void> {
    const left = this.#current;
    // Its first prompt would have told who is to answer.
    if (!left.isBegun) await this.#parts.transcript.recordChoices();
    try {
      await this.#show(conversation);
    } catch (error) {
      await conversation.close();
      if (this.#current !== left) await this.#show(left);
      throw error;
    }
    this.#unwritten.note(left);
    await left.close();
  }

  async #show(conversation: Conversation): Promise<void> {
    const context = await conversation.readContext();
    this.#parts.transcript.replace(conversation, context);
    await this.#parts.onMoved(context);
  }

  #requireUserMessage(node: TreeNode | undefined, entry: string | number): TreeNode {
    if (node && isUserMessage(node)) return node;
    const what = typeof entry === "string" ? `The entry "${entry}"` : `Message ${entry}`;
    throw new SessionError("not_found", `${what} is no message of the user on the active path. See get_branch_messages.`);
  }

  async #textOf(node: TreeNode): Promise<string> {
    const [entry] = await this.#current.read([node]);
    return textOf(entry);
  }
}

function textOf(entry: SessionEntry | undefined): string {
  return entry?.type === "message" ? typedTextOf(entry.message) : "";
}

function isUserMessage({ type, kind }: TreeNode): boolean {
  return type === "message" && kind === "user";
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // not there: no session that could be open
  }
}
