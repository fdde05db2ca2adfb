import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { FileSessionStore } from "./file-store.ts";
import type { DescribingStore, SessionDescription, SessionInfo } from "./session-store.ts";

/** The folders with the sessions of all working folders. */
export async function allSessionFolders(agentDir: string): Promise<string[]> {
  const root = join(agentDir, "sessions");
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
}

/** The stored sessions of a folder, and of all, as lists show them. */
export interface StoredSessions {
  /** The latest sessions, the latest first. @param all - Whether those of other working folders count too. */
  list(options: { all: boolean; limit: number }): Promise<SessionInfo[]>;
  /** Describes sessions in their order. One that vanishes meanwhile has an empty description. */
  describe(infos: readonly SessionInfo[]): Promise<SessionDescription[]>;
}

export interface SessionFilePlaces {
  /** The folder with the sessions of the current working folder. */
  folder: string;
  agentDir: string;
  /** The current working folder, if `folder` may have sessions of others, too. Default: all its sessions count. */
  cwd?: string | undefined;
}

/** The sessions in files. */
export function sessionsInFiles({ folder, agentDir, cwd }: SessionFilePlaces): StoredSessions {
  return {
    async list({ all, limit }) {
      const folders = all ? [...new Set([folder, ...(await allSessionFolders(agentDir))])] : [folder];
      const infos = (
        await Promise.all(
          folders.map((path) => new FileSessionStore(path).list(all || cwd === undefined ? { limit } : { limit, cwd })),
        )
      ).flat();
      return infos.sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, limit);
    },
    // The refs are paths, so the folder of the store does not matter.
    describe: (infos) => new FileSessionStore(folder).describe(refsOf(infos)),
  };
}

/** The sessions in a store of all folders. @param cwd - The current working folder. */
export function sessionsInStore(store: DescribingStore, cwd: string): StoredSessions {
  return {
    list: ({ all, limit }) => store.list({ limit, ...(all ? {} : { cwd }) }),
    describe: (infos) => store.describe(refsOf(infos)),
  };
}

function refsOf(infos: readonly SessionInfo[]): string[] {
  return infos.map(({ ref }) => ref);
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** An age in words, such as `2 hours ago`. */
export function describeAge(ageMs: number): string {
  const [unit, unitMs] = units.find(([, each]) => ageMs >= each) ?? ["minute", 60_000];
  const count = Math.floor(ageMs / unitMs);
  return count < 1 ? "now" : `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
