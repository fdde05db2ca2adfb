import { realpathSync, rmSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { keptFilesFolder, sessionFileName } from "../config/paths.ts";
import { SessionError } from "../errors.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import type { SessionEntry } from "./entries.ts";
import { toSessionInfo } from "./memory-store.ts";
import { readSessionHeader, readSessionHeaderAsync } from "./read-session.ts";
import { SessionFile } from "./session-file.ts";
import { lockSession } from "./session-lock.ts";
import type {
  CopyingStore,
  DescribingStore,
  OpenedSession,
  OpenOptions,
  SessionDescription,
  SessionFilter,
  SessionInfo,
} from "./session-store.ts";

/** Number of files that are read in parallel while sessions are listed. */
const maxParallel = 16;

/** Stores sessions as files in one folder; their refs are their paths. Files in other folders can be opened too. */
export class FileSessionStore implements DescribingStore, CopyingStore {
  readonly folder: string;

  /** @param folder - Absolute path. The folder is created when the first session is written. */
  constructor(folder: string) {
    this.folder = folder;
  }

  create(header: SessionHeader): SessionFile {
    return new SessionFile(join(this.folder, sessionFileName(header)));
  }

  open(ref: string, onEntry: (entry: SessionEntry) => void, options?: OpenOptions): OpenedSession {
    const log = new SessionFile(resolve(ref));
    return { header: log.open(onEntry, options), log };
  }

  async list({ cwd, idPrefix = "", limit = Number.POSITIVE_INFINITY }: SessionFilter = {}): Promise<SessionInfo[]> {
    const names = matchId(await listSessionFiles(this.folder), idPrefix);
    const dated = await mapParallel(names, async (name) => {
      const path = join(this.folder, name);
      const stats = await stat(path);
      if (!stats.isFile()) throw new Error(`${path} is not a file`); // opening a pipe would block
      return { path, modifiedMs: stats.mtimeMs };
    });
    // The names begin with the time of creation, which decides between files with the same modification time.
    dated.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? 1 : -1));
    const found: SessionInfo[] = [];
    // In portions, so that finding the latest of thousands of sessions reads only a few headers.
    for (let start = 0; start < dated.length && found.length < limit; start += maxParallel) {
      const portion = await mapParallel(dated.slice(start, start + maxParallel), async ({ path, modifiedMs }) =>
        toSessionInfo(path, await readSessionHeaderAsync(path), modifiedMs),
      );
      found.push(...portion.filter((info) => cwd === undefined || info.cwd === cwd));
    }
    return found.slice(0, limit);
  }

  async describe(refs: readonly string[]): Promise<SessionDescription[]> {
    const { describeSessionFile } = await import("./describe-session.ts");
    const described: SessionDescription[] = [];
    for (const ref of refs) {
      described.push(tryTo(() => describeSessionFile(resolve(ref))) ?? { isInterrupted: false });
      await nextTurn(); // reading is synchronous, and other work runs between two files
    }
    return described;
  }

  async *readLines(ref: string): AsyncGenerator<string[]> {
    const { readRawLines } = await import("./raw-lines.ts");
    yield* readRawLines(resolve(ref));
  }

  async writeLines(lines: AsyncIterable<readonly string[]>): Promise<string> {
    const { writeLines } = await import("./write-lines.ts");
    const findSession = async (id: string) => (await this.list({ idPrefix: id })).find((info) => info.id === id)?.ref;
    return writeLines(lines, { pathOf: (header) => join(this.folder, sessionFileName(header)), findSession });
  }

  remove(ref: string): void {
    const path = resolve(ref);
    try {
      // Throws for a file that is not a session, so that it is not removed.
      readSessionHeader(path);
      const target = realpathSync(path);
      const lock = lockSession(target, path);
      try {
        for (const each of [target, path]) {
          rmSync(keptFilesFolder(each), { recursive: true, force: true });
          rmSync(each, { force: true });
        }
      } finally {
        lock.release();
      }
    } catch (cause) {
      if (cause instanceof SessionError && cause.code === "not_found") return;
      if (cause instanceof SessionError) throw cause;
      const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
      throw new SessionError("write_failed", `Cannot remove the session file ${path}: ${reason}. Check permissions.`, { cause });
    }
  }
}

function tryTo<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined; // the file has vanished, or cannot be read
  }
}

async function listSessionFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
  } catch {
    return []; // no folder, so no sessions yet
  }
}

/** The files whose id begins with the prefix; an exact match excludes longer ids. */
function matchId(names: string[], idPrefix: string): string[] {
  const idOf = (name: string) => name.slice(name.indexOf("_") + 1, -".jsonl".length);
  if (idPrefix === "") return names;
  const exact = names.filter((name) => idOf(name) === idPrefix);
  return exact.length > 0 ? exact : names.filter((name) => idOf(name).startsWith(idPrefix));
}

/** Returns the results in the order of the items. Items for which `read` fails are left out: files may vanish, or not be sessions. */
async function mapParallel<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: (R | undefined)[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await read(items[index] as T).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel, items.length) }, work));
  return results.filter((result) => result !== undefined);
}
