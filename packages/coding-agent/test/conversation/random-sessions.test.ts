import { join } from "node:path";
import { describe, test } from "vitest";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import type { SessionStore } from "../../src/conversation/session-store.ts";
import { playRandomSessions } from "../helpers/random-sessions.ts";
import { SlowStore } from "../helpers/slow-store.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

describe.each<[string, () => SessionStore, runs: number]>([
  ["files", () => new FileSessionStore(join(workspace.root, "sessions")), 60],
  ["memory", () => new MemorySessionStore(), 150],
  ["a store that answers later", () => new SlowStore(), 60],
])("SE-011 SE-012 SE-013 SE-014 random sessions in %s", (_name, createStore, runs) => {
  test("say after each step what a simple model of them says, and so does everybody who opens them", async () => {
    await playRandomSessions(createStore, runs);
  }, 600_000);
});
