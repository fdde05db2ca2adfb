import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { sessionFileName, sessionFolder } from "../../config/paths.ts";
import type { CopyPlace } from "../../conversation/copy-session.ts";
import { FileSessionStore } from "../../conversation/file-store.ts";
import { toSessionInfo } from "../../conversation/memory-store.ts";
import { isStoreAddress, openStore } from "../../conversation/open-store.ts";
import { readSessionHeader } from "../../conversation/read-session.ts";
import type { SessionFilter, SessionInfo } from "../../conversation/session-store.ts";
import { writeLines } from "../../conversation/write-lines.ts";
import { SessionError } from "../../errors.ts";
import type { SessionHeader } from "../../protocol/frames.ts";

interface PlaceOptions {
  agentDir: string;
  /** Whether sessions are read from the place, so that it must exist. */
  isSource: boolean;
  report(problem: string): void;
}

/** A place of sessions, and what ends its use. */
export interface OpenPlace {
  place: CopyPlace;
  close(): Promise<void>;
}

/**
 * Opens a place of sessions that the user names: the address of a store, a folder of session files, or one session file.
 *
 * @throws {SessionError} `not_found` for a source that does not exist.
 * @throws {UsageError} For an address of no known store, or one whose package is not installed.
 */
export async function openPlace(name: string, { agentDir, isSource, report }: PlaceOptions): Promise<OpenPlace> {
  if (isStoreAddress(name) || name.includes("://")) {
    const store = await openStore(name, { agentDir, report });
    const find = async (id: string) => (await store.list({ idPrefix: id })).find((info) => info.id === id)?.ref;
    const place: CopyPlace = {
      list: (filter) => store.list(filter),
      readLines: (ref) => store.readLines(ref),
      writeLines: (lines) => store.writeLines(lines),
      remove: (ref) => store.remove(ref),
      find,
    };
    return { place, close: () => store.close() };
  }
  const path = resolve(name);
  const found = await stat(path).catch(() => undefined);
  if (!found && isSource) {
    throw new SessionError("not_found", `There is no file or folder ${path}. Name one with sessions, or the address of a store.`);
  }
  const isFolder = found ? found.isDirectory() : !path.endsWith(".jsonl");
  return { place: isFolder ? await openFolder(path, agentDir) : new FilePlace(path), close: async () => {} };
}

/** A folder of session files, with its subfolders. In the sessions folder of pi, each working folder has a subfolder. */
async function openFolder(folder: string, agentDir: string): Promise<CopyPlace> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = [folder, ...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))];
  const isOfPi = folder === join(agentDir, "sessions");
  return new FolderPlace(folders, (header) => join(isOfPi ? sessionFolder(header.cwd, agentDir) : folder, sessionFileName(header)));
}

/** The session files of some folders. */
class FolderPlace implements CopyPlace {
  readonly #stores: readonly FileSessionStore[];
  readonly #pathOf: (header: SessionHeader) => string;
  /** The paths of all sessions by their ids, read once: a folder can have many files. */
  #paths: Promise<Map<string, string>> | undefined;

  /** @param pathOf - Returns the path of a new session. */
  constructor(folders: readonly string[], pathOf: (header: SessionHeader) => string) {
    this.#stores = folders.map((folder) => new FileSessionStore(folder));
    this.#pathOf = pathOf;
  }

  async list(filter: SessionFilter = {}): Promise<SessionInfo[]> {
    const infos = (await Promise.all(this.#stores.map((store) => store.list(filter)))).flat();
    const exact = infos.filter(({ id }) => id === filter.idPrefix);
    return (exact.length > 0 ? exact : infos).sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, filter.limit);
  }

  async find(id: string): Promise<string | undefined> {
    this.#paths ??= this.list().then((infos) => new Map(infos.map((info) => [info.id, info.ref])));
    return (await this.#paths).get(id);
  }

  readLines(ref: string): AsyncIterable<readonly string[]> {
    return anyFile.readLines(ref);
  }

  async writeLines(lines: AsyncIterable<readonly string[]>): Promise<string> {
    let id = "";
    const pathOf = (header: SessionHeader) => {
      id = header.id;
      return this.#pathOf(header);
    };
    const path = await writeLines(lines, { pathOf, findSession: (each) => this.find(each) });
    (await this.#paths)?.set(id, path);
    return path;
  }

  async remove(ref: string): Promise<void> {
    anyFile.remove(ref);
    this.#paths = undefined;
  }
}

/** One session file. */
class FilePlace implements CopyPlace {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async list({ idPrefix = "" }: SessionFilter = {}): Promise<SessionInfo[]> {
    if (!existsSync(this.#path)) return [];
    const { mtimeMs } = await stat(this.#path);
    return [toSessionInfo(this.#path, readSessionHeader(this.#path), mtimeMs)].filter(({ id }) => id.startsWith(idPrefix));
  }

  async find(id: string): Promise<string | undefined> {
    return (await this.list({ idPrefix: id })).find((info) => info.id === id)?.ref;
  }

  readLines(ref: string): AsyncIterable<readonly string[]> {
    return anyFile.readLines(ref);
  }

  writeLines(lines: AsyncIterable<readonly string[]>): Promise<string> {
    return writeLines(lines, { pathOf: () => this.#path, findSession: (id) => this.find(id) });
  }

  remove(ref: string): void {
    anyFile.remove(ref);
  }
}

/** For session files of all folders: their refs are paths. */
const anyFile = new FileSessionStore("/");
