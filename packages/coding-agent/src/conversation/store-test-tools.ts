import assert from "node:assert/strict";
import type { SessionHeader } from "../protocol/frames.ts";
import type { SessionEntry } from "./entries.ts";
import type { SessionFilter, SessionLine, SessionLog, SessionStore } from "./session-store.ts";

/** A test for one requirement of the contract of a store. */
export interface SessionStoreTest {
  name: string;
  /** Rejects with an `AssertionError` if the store does not fulfil the requirement. */
  run(): Promise<void>;
}

/** The time of all headers and entries. */
export const timestamp = "2026-01-02T03:04:05.678Z";

export function header(id: string): SessionHeader {
  return { type: "session", version: 3, id, timestamp, cwd: "/work" };
}

export function message(id: string, parentId: string | null = null, text = `text ${id}`): SessionEntry {
  return { type: "message", id, parentId, timestamp, message: { role: "user", content: text, timestamp: 1 } };
}

/** Entries of all kinds, with characters and keys that are easily lost. A store must not interpret them. */
export function strangeEntries(): SessionEntry[] {
  let deep: unknown = "bottom";
  for (let depth = 0; depth < 500; depth += 1) deep = { deep: [deep] };
  return [
    message("00000001", null, "line\nbreaks\r\n \u0000 \u2028 \u0085 \\ \" ' é€😀 \ud800"),
    { ...message("00000002", "00000001"), mood: "curious" } as never,
    { type: "from_the_future", id: "00000003", parentId: "00000002", timestamp, values: [1.5e-7, null, false, {}] } as never,
    {
      type: "custom",
      id: "__proto__",
      parentId: "00000003",
      timestamp,
      customType: "x",
      data: JSON.parse('{"__proto__":{"a":1}}'),
    },
    { type: "label", id: "constructor", parentId: "missing", timestamp, targetId: "00000001", label: "a label" },
    { type: "custom", id: "00000006", parentId: "constructor", timestamp, customType: "deep", data: deep },
  ];
}

export function ignore(): void {}

export async function append(log: SessionLog, lines: readonly SessionLine[]): Promise<void> {
  await log.append(lines, () => undefined);
}

/** Creates a session and leaves it open. */
export async function begin(
  store: SessionStore,
  id: string,
  entries: readonly SessionEntry[],
  fields: Partial<SessionHeader> = {},
): Promise<SessionLog> {
  const first = { ...header(id), ...fields };
  const log = store.create(first);
  await append(log, [first, ...entries]);
  return log;
}

/** Creates a session and closes it. */
export async function keep(...args: Parameters<typeof begin>): Promise<string> {
  const log = await begin(...args);
  await log.close();
  return log.ref;
}

export async function contentOf(store: SessionStore, ref: string): Promise<{ header: SessionHeader; entries: SessionEntry[] }> {
  const entries: SessionEntry[] = [];
  const opened = await store.open(ref, (entry) => void entries.push(entry), { readOnly: true });
  await opened.log.close();
  return { header: opened.header, entries };
}

export async function idsIn(store: SessionStore, filter?: SessionFilter): Promise<string[]> {
  return (await store.list(filter)).map(({ id }) => id);
}

/** Compares as JSON, the format of sessions, so that keys such as `__proto__` count too. */
export function same(found: unknown, expected: unknown): void {
  assert.equal(JSON.stringify(found), JSON.stringify(expected));
}

/** Checks the brand of the error, because the store may use another copy of the class. */
export async function fails(code: string, act: () => unknown): Promise<void> {
  const isExpected = (error: unknown) => {
    const { [brand]: kind, code: found } = error as { [brand]?: unknown; code?: unknown };
    assert.deepEqual({ kind, code: found }, { kind: "session", code }, `expected a SessionError "${code}", got: ${String(error)}`);
    return true;
  };
  await assert.rejects(async () => {
    await act();
  }, isExpected);
}

/** The brand of the errors of this package. The store may use another copy of them. */
export const brand = Symbol.for("pikit.error");
