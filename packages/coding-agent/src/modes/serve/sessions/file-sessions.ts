import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { readStart } from "@pikit/ai/files";
import { findSessionFolder } from "../../../config/session-dir.ts";
import { FileSessionStore } from "../../../conversation/file-store.ts";
import { readSessionHeader, readSessionHeaderAsync } from "../../../conversation/read-session.ts";
import type { SessionDescription, SessionInfo } from "../../../conversation/session-store.ts";
import { SessionError } from "../../../errors.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import { HttpError } from "../http/http-error.ts";
import type { KeptOptions } from "../http/route-schemas.ts";
import { FileDescriptions } from "./describe-file.ts";
import { type KeptSession, keptFileOf, readKept, removeKept, removeStale, writeKept } from "./kept-options.ts";
import { RootedStore } from "./rooted-store.ts";
import { outside, type Roots } from "./roots.ts";
import { type SessionFileInfo, SessionFiles } from "./session-files.ts";
import {
  type LiveStore,
  type StoredFilter,
  type StoredSessions,
  type StoredTarget,
  type StoreUse,
  type UnwrittenSession,
  withoutChoices,
} from "./stored-sessions.ts";

/** Bytes of the beginning of a session file in which the choice of a model is looked for: it comes before the first message. */
const choiceBytes = 64 * 1024;

/** Number of files that are described at the same time. */
const maxParallel = 8;

interface Places {
  agentDir: string;
  /** The only folder of session files. Undefined: all folders of `agentDir`. */
  sessionDir: string | undefined;
  roots: Roots;
}

/** Sessions in files. Refs are paths. The options of a session are in a file beside it. */
export class FileSessions implements StoredSessions {
  readonly isShared = false;
  readonly #places: Places;
  readonly #files: SessionFiles;
  readonly #descriptions = new FileDescriptions();
  /** Folders of session files from which old options were removed. */
  readonly #tidied = new Set<string>();

  constructor(places: Places) {
    this.#places = places;
    this.#files = new SessionFiles(places);
  }

  async list(filter: StoredFilter): Promise<SessionInfo[]> {
    return (await this.#files.list(filter)).map(toInfo);
  }

  async findByPrefix(idPrefix: string): Promise<SessionInfo[]> {
    return (await this.#files.findByPrefix(idPrefix)).map(toInfo);
  }

  async find(id: string): Promise<SessionInfo | undefined> {
    const found = await this.#files.find(id);
    return found && toInfo(found);
  }

  async findPath(path: string): Promise<StoredTarget> {
    if (!isAbsolute(path)) throw new HttpError("bad_request", "The path of a session must be absolute.");
    const { id, cwd } = await readSessionHeaderAsync(path).catch((error: unknown) => {
      if (error instanceof SessionError) throw error;
      throw new SessionError("not_found", `Cannot read the session file ${path}. Give the path of an existing session.`);
    });
    if (!(await this.#places.roots.contains(cwd))) throw outside();
    return { id, ref: path };
  }

  async describe(infos: readonly SessionInfo[]): Promise<SessionDescription[]> {
    const descriptions: SessionDescription[] = [];
    for (let start = 0; start < infos.length; start += maxParallel) {
      const some = infos.slice(start, start + maxParallel).map(({ ref }) => this.#descriptions.describe(ref));
      descriptions.push(...(await Promise.all(some)));
    }
    return descriptions;
  }

  /** Nothing is known about other processes: opening a session tells. */
  async findHolders(ids: readonly string[]): Promise<undefined[]> {
    return ids.map(() => undefined);
  }

  async findUnwritten(id: string): Promise<UnwrittenSession | undefined> {
    const unwritten = await this.#files.findUnwritten(id);
    if (!unwritten) return undefined;
    const { file, kept } = unwritten;
    return {
      kept,
      begun: ({ sessionFile }) => {
        if (sessionFile !== null && keptFileOf(sessionFile) !== file) removeKept(file);
      },
    };
  }

  async readOptions(ref: string): Promise<KeptOptions> {
    const options = (await readKept(keptFileOf(ref)))?.options ?? {};
    const { bytes } = await readStart(ref, choiceBytes);
    return bytes.includes('"model_change"') ? withoutChoices(options) : options;
  }

  isSame({ sessionFile }: AgentSession, path: string): boolean {
    if (sessionFile === null) return false;
    try {
      return realpathSync(sessionFile) === realpathSync(path);
    } catch {
      return sessionFile === path; // it is not written yet
    }
  }

  storeFor({ cwd, ...use }: StoreUse): LiveStore {
    const { agentDir, sessionDir, roots } = this.#places;
    const folder = findSessionFolder({ cwd, agentDir, given: sessionDir });
    return new FileLiveStore(folder, roots, use, (file) => this.#tidy(dirname(file)));
  }

  /** Removes old options from a folder of session files, once. */
  #tidy(folder: string): void {
    if (this.#tidied.has(folder)) return;
    this.#tidied.add(folder);
    void removeStale(folder);
  }
}

class FileLiveStore extends RootedStore {
  readonly #onKept: (file: string) => void;

  /** @param onKept - Called with a session file whose options are kept as far as needed. */
  constructor(folder: string, roots: Roots, use: Pick<StoreUse, "options" | "ownRef">, onKept: (file: string) => void) {
    super(new FileSessionStore(folder), roots, use);
    this.#onKept = onKept;
  }

  keep(session: AgentSession, isNew: boolean): void {
    const { sessionFile } = session;
    if (sessionFile === null) return;
    if (isNew || this.#hasOptions) this.#write(session, sessionFile);
    this.#onKept(sessionFile);
  }

  keepMoved(session: AgentSession): void {
    const { sessionFile } = session;
    if (sessionFile === null || existsSync(keptFileOf(sessionFile))) return;
    if (existsSync(sessionFile) && !this.#hasOptions) return;
    this.#write(session, sessionFile);
  }

  mayHave({ sessionFile }: AgentSession): boolean {
    return sessionFile !== null && existsSync(sessionFile);
  }

  protected cwdOf(ref: string): string {
    return readSessionHeader(ref).cwd;
  }

  protected readKept(ref: string): Promise<KeptSession | undefined> {
    return readKept(keptFileOf(ref));
  }

  get #hasOptions(): boolean {
    return Object.keys(this.options).length > 0;
  }

  #write({ sessionId: id, cwd, history }: AgentSession, sessionFile: string): void {
    writeKept(keptFileOf(sessionFile), { id, cwd, createdAt: history.header.timestamp, options: this.options });
  }
}

function toInfo({ path, header, modifiedMs }: SessionFileInfo): SessionInfo {
  const { id, cwd, timestamp, parentSession } = header;
  return { ref: path, id, cwd, createdAt: timestamp, modifiedMs, ...(parentSession === undefined ? {} : { parentSession }) };
}
