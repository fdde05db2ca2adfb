import type { SessionInfo as ListedSession } from "@agentclientprotocol/sdk";
import { sessionFolder } from "../../config/paths.ts";
import { FileSessionStore } from "../../conversation/file-store.ts";
import type { DescribingStore, SessionDescription, SessionInfo, SessionStore } from "../../conversation/session-store.ts";
import { allSessionFolders } from "../../conversation/stored-sessions.ts";
import { errorCodes, RpcError } from "./json-rpc.ts";

/** Number of sessions on a page of the list. */
const pageSize = 50;

export interface StoredOptions {
  agentDir: string;
  /** The folder of session files. Default: a folder for each working folder. */
  sessionDir?: string | undefined;
  /** The store of sessions. Default: files. */
  store?: SessionStore | undefined;
}

/** The stored sessions of all folders. */
export class StoredSessions {
  readonly #options: StoredOptions;

  constructor(options: StoredOptions) {
    this.#options = options;
  }

  /** The store for the sessions of a working folder. */
  storeFor(cwd: string): SessionStore {
    const { store, sessionDir, agentDir } = this.#options;
    return store ?? new FileSessionStore(sessionDir ?? sessionFolder(cwd, agentDir));
  }

  /**
   * Finds a session by its id, first among those of the working folder.
   *
   * @returns its ref.
   * @throws {RpcError} `notFound`.
   */
  async find(id: string, cwd?: string): Promise<string> {
    const first = cwd === undefined ? [] : [this.storeFor(cwd)];
    for (const store of [...first, ...(await this.#all())]) {
      const ref = await findIn(store, id);
      if (ref !== undefined) return ref;
    }
    throw new RpcError(errorCodes.notFound, `There is no session ${id.slice(0, 200)}. Ask session/list for those that exist.`);
  }

  /** Removes a session. A missing one is no error. */
  async remove(id: string): Promise<void> {
    const ref = await this.find(id).catch(() => undefined);
    if (ref !== undefined) await this.storeFor("/").remove(ref);
  }

  /**
   * Lists a page of sessions, the latest first.
   *
   * @param cwd - Only those of this working folder. Default: all.
   * @param cursor - `nextCursor` of the page before.
   * @throws {RpcError} `invalidParams` for an unknown cursor.
   */
  async list(cwd: string | undefined, cursor: string | undefined): Promise<{ sessions: ListedSession[]; nextCursor?: string }> {
    const start = cursor === undefined ? 0 : Number(cursor);
    if (!Number.isSafeInteger(start) || start < 0) {
      throw new RpcError(errorCodes.invalidParams, 'Field "cursor" must be the nextCursor of an earlier answer.');
    }
    const limit = start + pageSize + 1;
    const stores = cwd === undefined ? await this.#all() : [this.storeFor(cwd)];
    const filter = { limit, ...(cwd === undefined ? {} : { cwd }) };
    const all = (await Promise.all(stores.map((store) => store.list(filter)))).flat();
    const infos = all.sort((a, b) => b.modifiedMs - a.modifiedMs).slice(start, start + pageSize);
    const descriptions = await this.#describe(infos);
    const sessions = infos.map(({ id, cwd: folder, modifiedMs }, index): ListedSession => {
      const { name, firstPrompt } = descriptions[index] ?? {};
      const title = (name ?? firstPrompt)?.replaceAll(/\s+/g, " ").trim();
      return { sessionId: id, cwd: folder, ...(title ? { title } : {}), updatedAt: new Date(modifiedMs).toISOString() };
    });
    return { sessions, ...(all.length > start + pageSize ? { nextCursor: String(start + pageSize) } : {}) };
  }

  /** Describes sessions, if the store can. */
  async #describe(infos: readonly SessionInfo[]): Promise<SessionDescription[]> {
    // The refs of files are paths, so any folder can describe them.
    const store = this.#options.store ?? this.storeFor("/");
    return canDescribe(store) ? store.describe(infos.map(({ ref }) => ref)) : [];
  }

  async #all(): Promise<SessionStore[]> {
    const { store, sessionDir, agentDir } = this.#options;
    if (store) return [store];
    const folders = sessionDir === undefined ? await allSessionFolders(agentDir) : [sessionDir];
    return folders.map((folder) => new FileSessionStore(folder));
  }
}

function canDescribe(store: SessionStore): store is DescribingStore {
  return "describe" in store;
}

async function findIn(store: SessionStore, id: string): Promise<string | undefined> {
  return (await store.list({ idPrefix: id, limit: 1 })).find((info) => info.id === id)?.ref;
}
