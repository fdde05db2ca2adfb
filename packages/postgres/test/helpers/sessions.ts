import type { SessionEntry, SessionHeader, SessionLine, SessionLog } from "@pikit/coding-agent";
import { Client } from "pg";
import { onTestFinished } from "vitest";
import { PostgresSessionStore, type PostgresStoreOptions } from "../../src/index.ts";

const timestamp = "2026-01-02T03:04:05.678Z";

/** No heartbeat comes between two steps of a test. */
const leaseSeconds = 3600;

/** Opens a store, and closes it after the test. */
export function openStore(url: string, options: Partial<PostgresStoreOptions> = {}): PostgresSessionStore {
  const store = new PostgresSessionStore({ url, leaseSeconds, ...options });
  onTestFinished(() => store.close());
  return store;
}

export function header(id: string, fields: Partial<SessionHeader> = {}): SessionHeader {
  return { type: "session", version: 3, id, timestamp, cwd: "/work", ...fields };
}

export function message(id: string, text = `text ${id}`): SessionEntry {
  return { type: "message", id, parentId: null, timestamp, message: { role: "user", content: text, timestamp: 1 } };
}

export async function append(log: SessionLog, lines: readonly SessionLine[]): Promise<void> {
  await log.append(lines, () => undefined);
}

/** Creates a session with these entries, and leaves it open. */
export async function begin(store: PostgresSessionStore, id: string, entries: readonly SessionEntry[] = []): Promise<SessionLog> {
  const log = store.create(header(id));
  await append(log, [header(id), ...entries]);
  return log;
}

/** The ids of the entries of a session. */
export async function idsOf(store: PostgresSessionStore, id: string): Promise<string[]> {
  const ids: string[] = [];
  const { log } = await store.open(id, (entry) => void ids.push(entry.id), { readOnly: true });
  await log.close();
  return ids;
}

/** The ids of the stored entries of a session, also those that are stored twice, which `open` does not show. */
export async function storedIdsOf(store: PostgresSessionStore, id: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const portion of store.readLines(id)) lines.push(...portion);
  return lines.slice(1).map((line) => (JSON.parse(line) as SessionEntry).id);
}

/** Connects to the database, to look at it and to change it behind the back of a store. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** The error of an operation; fails if it succeeds. */
export async function errorOf(act: () => unknown): Promise<{ code: string; message: string }> {
  try {
    await act();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("the operation has succeeded");
}
