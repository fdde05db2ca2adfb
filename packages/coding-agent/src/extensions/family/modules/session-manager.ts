import { dirname } from "node:path";
import type { ThinkingLevel, Usage } from "@pikit/ai";
import { agentFolder, sessionFolder } from "../../../config/paths.ts";
import { Conversation } from "../../../conversation/conversation.ts";
import { FileSessionStore } from "../../../conversation/file-store.ts";
import { MemorySessionStore } from "../../../conversation/memory-store.ts";
import type { SessionStore } from "../../../conversation/session-store.ts";
import { allSessionFolders } from "../../../conversation/stored-sessions.ts";
import { isSessionError } from "../../../errors.ts";
import { SessionWriter } from "../../session-writer.ts";

interface NewSession {
  id?: string;
  parentSession?: string;
}

/** Maximum number of sessions in a list. */
const maxListed = 1000;

/** A session that an extension opens by itself, not the one in which it runs. A file is locked only while an entry is written. */
export class SessionManager extends SessionWriter {
  #conversation: Conversation;
  readonly #store: Pick<SessionStore, "create">;

  private constructor(store: Pick<SessionStore, "create">, conversation: Conversation) {
    super(() => this.#conversation);
    this.#store = store;
    this.#conversation = unlocked(conversation);
  }

  /** @param folder - The folder for the file. Default: that of the working folder. */
  static create(cwd: string, folder = sessionFolder(cwd, agentFolder()), options: NewSession = {}): SessionManager {
    const store = new FileSessionStore(folder);
    return new SessionManager(store, Conversation.create(store, { cwd, ...options }));
  }

  /**
   * A session that another process writes can only be read.
   *
   * @throws {SessionError} When the file cannot be read, or is not a session.
   */
  static open(path: string): SessionManager {
    const store = new FileSessionStore(dirname(path));
    return new SessionManager(store, openFile(store, path));
  }

  static inMemory(cwd = process.cwd(), options: NewSession = {}): SessionManager {
    const store = new MemorySessionStore();
    return new SessionManager(store, Conversation.create(store, { cwd, ...options }));
  }

  /** The sessions of a working folder, the latest first. */
  static list(cwd: string, folder = sessionFolder(cwd, agentFolder())) {
    return listFolders([folder]);
  }

  /** The sessions of all working folders, the latest first. */
  static async listAll() {
    return listFolders(await allSessionFolders(agentFolder()));
  }

  isPersisted(): boolean {
    return this.#conversation.path !== null;
  }

  newSession(options: NewSession = {}): string | undefined {
    this.#conversation = unlocked(Conversation.create(this.#store, { cwd: this.getCwd(), ...options }));
    return this.getSessionFile();
  }

  /** The next entry follows this one. */
  branch(entryId: string): void {
    this.#conversation.moveTo(entryId);
  }

  /** The next entry is the first of a new tree. */
  resetLeaf(): void {
    this.#conversation.moveTo(null);
  }

  branchWithSummary(entryId: string | null, summary: string, details?: unknown): string {
    const fromId = this.getLeafId() ?? "root";
    this.#conversation.moveTo(entryId);
    return this.append({ type: "branch_summary", fromId, summary, ...(details === undefined ? {} : { details }) });
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.append({ type: "model_change", provider, modelId });
  }

  appendThinkingLevelChange(thinkingLevel: ThinkingLevel): string {
    return this.append({ type: "thinking_level_change", thinkingLevel });
  }

  appendCompaction(
    summary: string,
    firstKeptEntryId: string,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string {
    const optional = {
      ...(details === undefined ? {} : { details }),
      ...(fromHook ? { fromHook } : {}),
      ...(usage ? { usage } : {}),
    };
    return this.append({ type: "compaction", summary, firstKeptEntryId, tokensBefore, ...optional });
  }
}

/** After `close` a session takes its lock only while it writes. */
function unlocked(conversation: Conversation): Conversation {
  void conversation.close();
  return conversation;
}

function openFile(store: FileSessionStore, path: string): Conversation {
  try {
    return Conversation.openNow(store, path);
  } catch (error) {
    if (!isSessionError(error) || error.code !== "locked") throw error;
    return Conversation.openNow(store, path, { readOnly: true });
  }
}

async function listFolders(folders: readonly string[]) {
  const infos = (await Promise.all(folders.map((folder) => new FileSessionStore(folder).list({ limit: maxListed })))).flat();
  const latest = infos.sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, maxListed);
  const described = await new FileSessionStore("/").describe(latest.map(({ ref }) => ref));
  return latest.map(({ ref, id, cwd, createdAt, modifiedMs, parentSession }, index) => {
    const { name, firstPrompt = "" } = described[index] ?? {};
    return {
      ...{ path: ref, id, cwd, created: new Date(createdAt), modified: new Date(modifiedMs) },
      ...(name === undefined ? {} : { name }),
      ...(parentSession === undefined ? {} : { parentSessionPath: parentSession }),
      // Counting would read every file as a whole.
      ...{ messageCount: firstPrompt === "" ? 0 : 1, firstMessage: firstPrompt, allMessagesText: firstPrompt },
    };
  });
}
