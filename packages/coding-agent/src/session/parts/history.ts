import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { type BranchContext, entersContext } from "../../conversation/context.ts";
import { Conversation, type NewConversation } from "../../conversation/conversation.ts";
import type { SessionEntry } from "../../conversation/entries.ts";
import { openConversation } from "../../conversation/open-session.ts";
import type { SessionLockOptions, SessionStore } from "../../conversation/session-store.ts";
import type { TreeNode } from "../../conversation/session-tree.ts";
import { SessionError } from "../../errors.ts";
import type { SessionMove } from "../../extensions/events.ts";
import { typedTextOf } from "../../prompt/typed-text.ts";
import type { FileRestore } from "../../protocol/data.ts";
import type { EntryTreeNode } from "../../protocol/entries.ts";
import type { SessionHeader } from "../../protocol/frames.ts";
import type { BranchSummary } from "../../run/compaction/branch-summary.ts";
import type { Transcript } from "./transcript.ts";
import type { UnwrittenSessions } from "./unwritten-sessions.ts";

/** A message of the user from which a new branch can start. */
export interface BranchPoint {
  entryId: string;
  /** The message's index on the active path, from 0. Messages that a compaction replaced count too. */
  entryIndex: number;
  /** The text as the user typed it. */
  text: string;
}

/** Whether the files go back together with the conversation. */
export interface RestoreFilesOptions {
  /** Whether what tools have changed since is put back. Default false. */
  restoreFiles?: boolean | undefined;
  /** Whether files are put back that something else has changed since. Default false. */
  force?: boolean | undefined;
  /** Called with the result. */
  onFilesRestored?(result: FileRestore): void;
}

interface PrepareOptions {
  /** Called with a new conversation before the session switches to it. */
  prepare?(conversation: Conversation): void | Promise<void>;
}

export interface HistoryParts {
  store: SessionStore;
  /** Aborts the current run and calls `work` before another run can start. */
  between<T>(work: () => Promise<T>): Promise<T>;
  transcript: Transcript;
  /**
   * Called before the session moves to another conversation or branch. A run may still be active.
   *
   * @returns The summary of the branch that is left, if an extension has written one.
   * @throws {SessionError} `cancelled` when an extension refuses the move.
   */
  beforeMove(move: SessionMove): Promise<BranchSummary | undefined>;
  /** Called when the session is about to leave its conversation. No run is active. */
  onLeave(): Promise<void>;
  /** Called when a move has failed, after `beforeMove`. */
  onStayed(): Promise<void>;
  /** Called after the move, when a run can start. */
  afterMove(move: SessionMove): Promise<void>;
  /** Puts the files back to their state before an entry. @throws {SessionError} `nothing_to_undo`. */
  restoreBefore(entryId: string, options: { force?: boolean | undefined }): Promise<FileRestore>;
  /** Called when the session has a new name. */
  onRenamed(name: string): void | Promise<void>;
  /** Called when another conversation or branch is in effect, before a run can start. */
  onMoved(context: BranchContext): Promise<void>;
}

/** Number of entries that are read together. */
const portion = 100;

/**
 * The conversation as a tree on disk: its entries, and the moves to another branch or to another session. A move first aborts the current
 * run. It rejects with `cancelled` if an extension refuses it. A failed move changes nothing.
 */
export class SessionHistory {
  readonly #parts: HistoryParts;
  /** Loaded when a session is left before anything of it was written, which is rare. */
  #unwritten: UnwrittenSessions | undefined;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  /** The id of the latest entry on the active branch; null before the first. */
  get leafId(): string | null {
    return this.#current.leafId;
  }

  /** The header: the first record of a file or an event stream of this session. */
  get header(): SessionHeader {
    return this.#current.header;
  }

  /** Messages for the user about problems in the session's file; empty if there are none. */
  get diagnostics(): readonly string[] {
    return this.#current.diagnostics;
  }

  /**
   * The reason why a part of the conversation is not stored; undefined if all of it is. An `error` event reports it too. The missing part
   * is stored with the next entry; `dispose` makes the last attempt.
   */
  get unsavedReason(): string | undefined {
    return this.#parts.transcript.unsavedReason;
  }

  /** The session's name; null if it has none. */
  get name(): string | null {
    return this.#current.name;
  }

  /** Whether the session has the prompt that was sent with this `promptId`, on any branch. */
  hasPrompt(promptId: string): boolean {
    return this.#current.wasSent(promptId);
  }

  /**
   * Reads the entries of all branches, in the order of appending.
   *
   * @param options - `since`: only entries after the one with this id; `limit`: the maximum number.
   * @throws {SessionError} `not_found` if there is no entry `since`; `read_failed`.
   */
  async entries({ since, limit }: { since?: string; limit?: number } = {}): Promise<SessionEntry[]> {
    const start = since === undefined ? 0 : this.#current.positionOf(this.#requireEntry(since).id) + 1;
    return this.#current.read(this.#current.nodes.slice(start, limit === undefined ? undefined : start + limit));
  }

  /**
   * Reads the messages, summaries and compactions of the active branch, in their order, also those that a compaction has replaced in the
   * model's context. They come in portions, so that a long conversation needs little memory.
   *
   * @throws {SessionError} `read_failed`.
   */
  async *readBranch(): AsyncGenerator<SessionEntry[]> {
    const nodes = this.#current.activeBranch().filter(({ type }) => entersContext(type));
    for (let start = 0; start < nodes.length; start += portion) yield this.#current.read(nodes.slice(start, start + portion));
  }

  /** All entries as trees, oldest first. Their depth is the length of the conversation: walk them with a stack, not by recursion. */
  async tree(): Promise<EntryTreeNode[]> {
    const { readTree } = await import("../../conversation/read-tree.ts");
    return readTree(this.#current);
  }

  /**
   * Names the session. Line breaks become spaces.
   *
   * @throws {SessionError} `invalid_input` for an empty name.
   */
  async setName(name: string): Promise<void> {
    const plain = name.replace(/[\r\n\u0085\u2028\u2029]+/g, " ").trim();
    if (plain === "") throw new SessionError("invalid_input", "Session name cannot be empty");
    await this.#parts.transcript.append({ type: "session_info", name: plain });
    await this.#parts.onRenamed(plain);
  }

  /**
   * Sets the label of an entry; without `label`, removes it.
   *
   * @throws {SessionError} `not_found` if there is no such entry.
   */
  async setLabel(entryId: string, label?: string): Promise<void> {
    this.#requireEntry(entryId);
    await this.#parts.transcript.append({ type: "label", targetId: entryId, ...(label ? { label } : {}) });
  }

  /** Starts an empty session with the same model and store. Default of `cwd`: the same folder. `prepare` adds the first entries. */
  async startNew({ prepare, ...options }: Partial<NewConversation> & PrepareOptions = {}): Promise<void> {
    await this.#move({ reason: "new" }, () =>
      this.#parts.between(async () => {
        const conversation = Conversation.create(this.#parts.store, { cwd: this.#current.header.cwd, ...options });
        await prepare?.(conversation);
        return this.#replaceBy(conversation);
      }),
    );
  }

  /**
   * Continues another session: its messages, model, folder and queues. The current session is only reloaded at its current entry.
   *
   * @param ref - The path of its file, relative to the working folder of the session that is left; or its name in the store.
   * @param options - `takeOverLock`: like in `CreateAgentSessionOptions`, for this session.
   * @throws {SessionError} `not_found` (also if its working folder is missing), `locked`, `read_failed`, `not_a_session`,
   *   `unsupported_version`.
   */
  open(ref: string, options?: SessionLockOptions): Promise<void> {
    const target = this.#toRef(ref);
    return this.#move({ reason: "switch", target }, () => this.#open(target, options));
  }

  async #open(ref: string, options?: SessionLockOptions): Promise<void> {
    if (this.#isCurrent(ref)) {
      await this.#parts.between(() => this.#show(this.#current));
      return;
    }
    const conversation =
      this.#unwritten?.begin(this.#parts.store, ref) ?? (await openConversation(this.#parts.store, ref, options));
    await this.#parts.between(() => this.#replaceBy(conversation));
  }

  /**
   * Copies the path before a message of the user into a new session, and switches to that session.
   *
   * @returns The message's text.
   * @throws {SessionError} `not_found` if the entry is not a message of the user; `read_failed`, `write_failed`; `nothing_to_undo` if the files
   *   cannot be put back.
   */
  async fork(entryId: string, options: RestoreFilesOptions = {}): Promise<string> {
    const node = this.#requireUserMessage(this.#current.find(entryId), entryId);
    const text = await this.#textOf(node);
    const findLeaf = async () => {
      await this.#restoreFiles(node, options);
      return node.parentId;
    };
    await this.#move({ reason: "fork", target: entryId }, () => this.#copy(findLeaf));
    return text;
  }

  /**
   * Copies the path to an entry into a new session, and switches to that session. Default: the active path.
   *
   * @throws {SessionError} `not_found` if there is no such entry; `read_failed`, `write_failed`.
   */
  async clone(entryId?: string): Promise<void> {
    if (entryId !== undefined) this.#requireEntry(entryId);
    const target = entryId ?? this.#current.leafId;
    await this.#move({ reason: "clone", ...(target === null ? {} : { target }) }, () =>
      this.#copy(async () => entryId ?? this.#current.leafId),
    );
  }

  /**
   * Moves back to the entry before a message of the user, in the same session. The later messages stay on a branch of their own.
   *
   * @param entry - The message's id, or its `entryIndex` as in `branchPoints`.
   * @returns The message's text.
   * @throws {SessionError} `not_found` if the entry is not a message of the user on the active path; `nothing_to_undo` if the files cannot be put
   *   back.
   */
  branch(entry: string | number, options: RestoreFilesOptions = {}): Promise<string> {
    return this.#move({ reason: "branch", target: String(entry) }, () => this.#branch(entry, options));
  }

  /**
   * Moves to an entry of any branch, in the same session: it becomes the latest one, and the next prompt follows it.
   *
   * @param summarise - Called when no run is active, before the move, unless an extension has written the summary: summarises the branch that is
   *   left. The summary is added at the new place. Default: nothing is added.
   * @throws {SessionError} `not_found` if there is no such entry; `read_failed`.
   */
  goTo(entryId: string, summarise?: () => Promise<BranchSummary | undefined>): Promise<void> {
    const wish = summarise ? { wantsSummary: true } : {};
    return this.#move({ reason: "branch", target: entryId, ...wish }, (offered) =>
      this.#parts.between(async () => {
        const { id } = this.#requireEntry(entryId);
        const fromId = this.#current.leafId;
        const summary = summarise && (offered ?? (await summarise()));
        await this.#showFrom(id);
        if (!summary || fromId === null) return;
        await this.#parts.transcript.append({ type: "branch_summary", fromId, ...summary });
        await this.#show(this.#current);
      }),
    );
  }

  #branch(entry: string | number, options: RestoreFilesOptions): Promise<string> {
    return this.#parts.between(async () => {
      const messages = this.#messagesOfPath();
      const named = typeof entry === "string" ? messages.find(({ id }) => id === entry) : messages[entry];
      const node = this.#requireUserMessage(named, entry);
      const text = await this.#textOf(node);
      await this.#restoreFiles(node, options);
      await this.#showFrom(node.parentId);
      return text;
    });
  }

  async #restoreFiles({ id }: TreeNode, { restoreFiles = false, force, onFilesRestored }: RestoreFilesOptions): Promise<void> {
    if (!restoreFiles) return;
    const result = await this.#parts.restoreBefore(id, { force });
    onFilesRestored?.(result);
  }

  /** Makes an entry the latest one. If its path cannot be read, nothing changes. */
  async #showFrom(leafId: string | null): Promise<void> {
    const before = this.#current.leafId;
    this.#current.moveTo(leafId);
    try {
      await this.#show(this.#current);
    } catch (error) {
      this.#current.moveTo(before);
      throw error;
    }
  }

  /** The messages of the user on the active path, oldest first. */
  async branchPoints(): Promise<BranchPoint[]> {
    const points = [...this.#messagesOfPath().entries()].filter(([, node]) => isUserMessage(node));
    const entries = await this.#current.read(points.map(([, node]) => node));
    return points.map(([entryIndex, { id }], place) => ({ entryId: id, entryIndex, text: textOf(entries[place]) }));
  }

  /**
   * Writes the active branch to a file as one self-contained HTML page.
   *
   * @param outputPath - Relative to the working folder. Default: `pi-session-<id>.html`.
   * @param options - `redactPaths`: the page shows `.` and `~` in place of the working folder and the home folder. Default: false.
   * @returns The absolute path.
   * @throws {SessionError} `write_failed`, `read_failed`.
   */
  async exportHtml(outputPath?: string, { redactPaths = false }: { redactPaths?: boolean } = {}): Promise<string> {
    const { exportHtml } = await import("../../export/export-html.ts");
    return exportHtml(this.#current, { cwd: this.#current.header.cwd, outputPath, redactPaths });
  }

  async #move<T>(move: SessionMove, go: (offered: BranchSummary | undefined) => Promise<T>): Promise<T> {
    const offered = await this.#parts.beforeMove(move);
    const result = await this.#go(() => go(offered));
    await this.#parts.afterMove(move);
    return result;
  }

  async #go<T>(go: () => Promise<T>): Promise<T> {
    try {
      return await go();
    } catch (error) {
      await this.#parts.onStayed();
      throw error;
    }
  }

  get #current(): Conversation {
    return this.#parts.transcript.conversation;
  }

  /** The messages on the active path, including those that a compaction replaced. */
  #messagesOfPath(): TreeNode[] {
    return this.#current.activeBranch().filter(({ type }) => type !== "compaction" && entersContext(type));
  }

  #requireEntry(id: string): TreeNode {
    const node = this.#current.find(id);
    if (!node) throw new SessionError("not_found", `There is no entry "${id}" in this session. See get_entries.`);
    return node;
  }

  /** A store of files has paths as refs. Those of other stores are names, which stay as they are. */
  #toRef(given: string): string {
    const { ref, path, header } = this.#current;
    return ref === path ? resolve(header.cwd, given) : given;
  }

  #isCurrent(ref: string): boolean {
    const { ref: current, path } = this.#current;
    return ref === current || (path !== null && realPath(ref) === realPath(path));
  }

  /** @param findLeaf - Called after the run has settled, because the run may have added entries to the path. */
  async #copy(findLeaf: () => Promise<string | null>): Promise<void> {
    const { store } = this.#parts;
    const { forkConversation } = await import("../../conversation/fork.ts");
    await this.#parts.between(async () => {
      const source = this.#current;
      await this.#replaceBy(await forkConversation({ store, source, leafId: await findLeaf(), cwd: source.header.cwd }));
    });
  }

  /** Switches to another conversation and closes the previous one. If the new one cannot be read, it is closed instead. */
  async #replaceBy(conversation: Conversation): Promise<void> {
    const left = this.#current;
    // Without a first prompt, its model and level are not recorded yet.
    if (!left.isBegun) await this.#parts.transcript.recordChoices();
    try {
      await this.#show(conversation);
    } catch (error) {
      await conversation.close();
      if (this.#current !== left) await this.#show(left);
      throw error;
    }
    if (left.beginning) {
      this.#unwritten ??= new (await import("./unwritten-sessions.ts")).UnwrittenSessions();
      this.#unwritten.note(left);
    }
    await left.close();
  }

  async #show(conversation: Conversation): Promise<void> {
    const context = await conversation.readContext();
    if (conversation !== this.#current) await this.#parts.onLeave();
    this.#parts.transcript.replace(conversation, context);
    await this.#parts.onMoved(context);
  }

  #requireUserMessage(node: TreeNode | undefined, entry: string | number): TreeNode {
    if (node && isUserMessage(node)) return node;
    const what = typeof entry === "string" ? `The entry "${entry}"` : `Message ${entry}`;
    throw new SessionError("not_found", `${what} is not a user message on the active path. See get_branch_messages.`);
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
    return path; // no such file, so it is not the open session
  }
}
