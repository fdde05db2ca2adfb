import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describeSessionFile, type SessionDescription } from "./describe-session.ts";
import { FileSessionStore } from "./file-store.ts";
import type { SessionInfo } from "./session-store.ts";

/** The folders with the sessions of all working folders. */
export async function allSessionFolders(agentDir: string): Promise<string[]> {
  const root = join(agentDir, "sessions");
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
}

/** The sessions in these folders, the latest first. */
export async function listStored(folders: readonly string[], limit: number): Promise<SessionInfo[]> {
  const infos = (await Promise.all(folders.map((path) => new FileSessionStore(path).list({ limit })))).flat();
  return infos.sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, limit);
}

/** Reads the name and the first prompt of a session. A session that vanishes meanwhile has no description. */
export function describeStored({ ref }: SessionInfo): SessionDescription {
  try {
    return describeSessionFile(ref);
  } catch {
    return {};
  }
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
