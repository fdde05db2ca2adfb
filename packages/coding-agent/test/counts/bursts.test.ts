import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { countTurns } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import type { SessionLog } from "../../src/conversation/session-store.ts";
import type { SessionHeader } from "../../src/protocol/frames.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

test("prompts of many sessions at once begin and ask the model one in a turn of the event loop", async () => {
  using turns = countTurns();
  const asked: number[] = [];
  const began: number[] = [];
  const sessions = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { session } = await createScriptedSession(workspace, () => {
        asked.push(turns.count);
        return { text: "Done." };
      });
      session.subscribe(({ type }) => void (type === "agent_start" && began.push(turns.count)));
      return session;
    }),
  );
  await Promise.all(sessions.map((session) => session.prompt("Go")));
  for (const each of [began, asked]) {
    expect(each).toHaveLength(20);
    expect(new Set(each).size).toBe(20);
    expect(each).toEqual(each.toSorted((a, b) => a - b));
  }
});

test("sessions that are created at once begin one in a turn of the event loop", async () => {
  using turns = countTurns();
  const created: number[] = [];
  class WatchedStore extends MemorySessionStore {
    override create(header: SessionHeader): SessionLog {
      created.push(turns.count);
      return super.create(header);
    }
  }
  const store = new WatchedStore();
  await Promise.all(Array.from({ length: 20 }, () => createScriptedSession(workspace, [], { store })));
  expect(created).toHaveLength(20);
  expect(new Set(created).size).toBe(20);
});

test("answers that end at once are stored one in a turn of the event loop", async () => {
  using turns = countTurns();
  const { promise: end, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const ended: number[] = [];
  const script = async () => {
    asked += 1;
    if (asked === 20) resolve();
    await end;
    return { text: "Done." };
  };
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { session } = await createScriptedSession(workspace, script);
      session.subscribe(
        (event) => void (event.type === "message_end" && event.message.role === "assistant" && ended.push(turns.count)),
      );
      await session.prompt("Go");
    }),
  );
  expect(ended).toHaveLength(20);
  expect(new Set(ended).size).toBe(20);
});

test("300 prompts of one folder at once share their looks at its files; a prompt sees what was written before it", async () => {
  const path = await workspace.write("work/AGENTS.md", "Before.");
  const create = () => createScriptedSession(workspace, () => ({ text: "Done." }));
  const sessions = await Promise.all(Array.from({ length: 300 }, create));
  let seen: string | undefined;
  const { session: late } = await createScriptedSession(workspace, ({ systemPrompt }) => {
    seen = systemPrompt;
    return { text: "Done." };
  });
  using looks = countLooks(path);
  const prompts = sessions.map(({ session }) => session.prompt("Go"));
  // While the first looks are under way.
  await workspace.write("work/AGENTS.md", "After.");
  await late.prompt("Go");
  await Promise.all(prompts);
  expect(seen).toContain("After.");
  expect(looks.count).toBeGreaterThan(0);
  expect(looks.count).toBeLessThan(10);
});

/** Counts the looks at a file, until it is disposed of. */
function countLooks(wanted: string): Disposable & { count: number } {
  const { stat } = promises;
  const looks = {
    count: 0,
    [Symbol.dispose]() {
      promises.stat = stat;
      syncBuiltinESMExports();
    },
  };
  promises.stat = ((path: string, ...options: []) => {
    if (path === wanted) looks.count += 1;
    return stat(path, ...options);
  }) as typeof stat;
  syncBuiltinESMExports();
  return looks;
}
