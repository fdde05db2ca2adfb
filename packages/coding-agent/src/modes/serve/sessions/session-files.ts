import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { readSessionHeaderAsync } from "../../../conversation/read-session.ts";
import { allSessionFolders } from "../../../conversation/stored-sessions.ts";
import type { SessionHeader } from "../../../protocol/frames.ts";
import { type KeptSession, keptEnding, readKept } from "./kept-options.ts";
import type { Roots } from "./roots.ts";

/** Number of files that are read at the same time. */
const maxParallel = 16;

const sessionEnding = ".jsonl";

/** A session file within the roots. */
export interface SessionFileInfo {
  path: string;
  header: SessionHeader;
  modifiedMs: number;
}

interface ListFilter {
  /** Only sessions of this folder. */
  cwd?: string | undefined;
  limit: number;
}

interface DatedFile {
  path: string;
  modifiedMs: number;
}

interface Places {
  agentDir: string;
  /** The only folder of session files. Undefined: all folders of `agentDir`. */
  sessionDir: string | undefined;
  roots: Roots;
}

/** The session files of the server, as far as their working folders are within the roots. */
export class SessionFiles {
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  /** The latest sessions, the latest first. */
  async list({ cwd, limit }: ListFilter): Promise<SessionFileInfo[]> {
    const dated = await this.#dated((name) => name.endsWith(sessionEnding));
    const found: SessionFileInfo[] = [];
    const isWithin = this.#places.roots.rememberContains();
    // In portions, so that the latest of thousands of sessions need only a few headers.
    for (let start = 0; start < dated.length && found.length < limit; start += maxParallel) {
      for (const info of await mapSome(dated.slice(start, start + maxParallel), readInfo)) {
        if ((cwd === undefined || info.header.cwd === cwd) && (await isWithin(info.header.cwd))) found.push(info);
      }
    }
    return found.slice(0, limit);
  }

  /** The sessions whose id begins with a text, or only the one with exactly this id; the latest first. */
  async findByPrefix(idPrefix: string): Promise<SessionFileInfo[]> {
    const dated = await this.#dated((name) => name.endsWith(sessionEnding) && idOf(name, sessionEnding).startsWith(idPrefix));
    const exact = dated.filter(({ path }) => idOf(path, sessionEnding) === idPrefix);
    const infos = await mapSome(exact.length > 0 ? exact : dated, readInfo);
    const isWithin = this.#places.roots.rememberContains();
    const within = await Promise.all(infos.map(({ header }) => isWithin(header.cwd)));
    return infos.filter((_, index) => within[index]);
  }

  /** The session with this id; undefined if there is none within the roots. */
  async find(id: string): Promise<SessionFileInfo | undefined> {
    return (await this.findByPrefix(id)).find(({ header }) => header.id === id);
  }

  /** A session of which only the options are stored, because it has had no prompt, and the file of its options. */
  async findUnwritten(id: string): Promise<{ file: string; kept: KeptSession } | undefined> {
    const [latest] = await this.#dated((name) => name.endsWith(keptEnding) && idOf(name, keptEnding) === id);
    const kept = latest && (await readKept(latest.path));
    if (!latest || kept?.id !== id || !(await this.#places.roots.contains(kept.cwd))) return undefined;
    return { file: latest.path, kept };
  }

  /** Files with these names, the latest first. */
  async #dated(matches: (name: string) => boolean): Promise<DatedFile[]> {
    const { agentDir, sessionDir } = this.#places;
    const folders = sessionDir === undefined ? await allSessionFolders(agentDir) : [sessionDir];
    const paths = await mapSome(folders, async (folder) =>
      (await readdir(folder)).filter(matches).map((name) => join(folder, name)),
    );
    const dated = await mapSome(paths.flat(), async (path) => {
      const stats = await stat(path);
      if (!stats.isFile()) throw new Error(`${path} is not a file`);
      return { path, modifiedMs: stats.mtimeMs };
    });
    // The names begin with the time of creation, which decides between files with the same modification time.
    return dated.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? 1 : -1));
  }
}

/** The id in the name of a file: everything after the time. */
function idOf(path: string, ending: string): string {
  const name = basename(path);
  return name.slice(name.indexOf("_") + 1, -ending.length);
}

async function readInfo({ path, modifiedMs }: DatedFile): Promise<SessionFileInfo> {
  return { path, modifiedMs, header: await readSessionHeaderAsync(path) };
}

/** The results in the order of the items, some at a time. Items that fail are left out: files may vanish, or not be sessions. */
async function mapSome<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += maxParallel) {
    const portion = await Promise.allSettled(items.slice(start, start + maxParallel).map(read));
    for (const result of portion) if (result.status === "fulfilled") results.push(result.value);
  }
  return results;
}
