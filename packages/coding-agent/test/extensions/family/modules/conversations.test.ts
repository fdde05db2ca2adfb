import type { AgentMessage } from "@pikit/agent";
import { type Context, createScriptedModel } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { conversationFunctions } from "../../../../src/extensions/family/modules/conversations.ts";

const call = (name: string, ...args: unknown[]): unknown =>
  (conversationFunctions[name] as (...args: unknown[]) => unknown)(...args);

const user = (content: string): AgentMessage => ({ role: "user", content, timestamp: 1 });
const entry = (id: string, parentId: string | null, fields: object) => ({
  id,
  parentId,
  timestamp: "2026-01-01T00:00:00.000Z",
  ...fields,
});
const message = (id: string, parentId: string | null, content: string) =>
  entry(id, parentId, { type: "message", message: user(content) });

describe("entries of a session", () => {
  const entries = [
    message("a", null, "one"),
    message("b", "a", "two"),
    entry("c", "b", { type: "compaction", summary: "It was one.", firstKeptEntryId: "b", tokensBefore: 5 }),
    message("d", "c", "three"),
    message("x", "a", "another branch"),
    entry("y", "d", { type: "model_change", provider: "p", modelId: "m" }),
  ];

  test("give the context of a branch: the summary, what was kept, and what came later", () => {
    const { messages, model } = call("buildSessionContext", entries, "y") as { messages: AgentMessage[]; model: object };
    expect(messages).toMatchObject([{ role: "compactionSummary", summary: "It was one." }, user("two"), user("three")]);
    expect(model).toEqual({ provider: "p", modelId: "m" });
    const ids = (call("buildContextEntries", entries, "y") as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(["c", "b", "d", "y"]);
    expect(call("buildSessionContext", entries, "x")).toMatchObject({
      messages: [user("one"), user("another branch")],
      model: null,
    });
    expect(call("buildSessionContext", entries, null)).toMatchObject({ messages: [] });
    expect(call("getLatestCompactionEntry", entries)).toMatchObject({ id: "c" });
  });

  test("in a circle end, and lines of a file that are no objects are skipped", () => {
    const circle = [message("a", "b", "one"), message("b", "a", "two")];
    expect(call("buildSessionContext", circle)).toMatchObject({ messages: [user("one"), user("two")] });
    expect(call("parseSessionEntries", '{"type":"session"}\n\nbroken\n5\n{"id":"a"}\n')).toEqual([
      { type: "session" },
      { id: "a" },
    ]);
  });
});

test("messages for a model, as text, and their sizes", () => {
  const shell = {
    role: "bashExecution",
    command: "ls",
    output: "a.txt",
    exitCode: 0,
    cancelled: false,
    truncated: false,
    timestamp: 2,
  };
  const [first, second] = call("convertToLlm", [user("hi"), shell]) as { role: string }[];
  expect([first, second?.role]).toEqual([user("hi"), "user"]);
  expect(call("serializeConversation", [user("hi"), user("there")])).toMatch(/hi[\s\S]*there/);
  expect(call("estimateTokens", user("x".repeat(400)))).toBeGreaterThan(50);
  expect([call("shouldCompact", 90, 100, { reserveTokens: 20 }), call("shouldCompact", 70, 100, { reserveTokens: 20 })]).toEqual([
    true,
    false,
  ]);
  expect(call("shouldCompact", 90, 100, { enabled: false, reserveTokens: 20 })).toBe(false);
});

test("a summary by a model, with the instructions and the former summary", async () => {
  const asked: Context[] = [];
  const model = createScriptedModel({
    script(context) {
      asked.push(context);
      return { text: " All of it. " };
    },
  });
  const summary = await call(
    "generateSummary",
    [user("Build a boat")],
    model,
    1000,
    "key",
    undefined,
    undefined,
    "Keep names",
    "A lake.",
  );
  expect(summary).toBe("All of it.");
  expect(JSON.stringify(asked[0]?.messages)).toMatch(/A lake\.[\s\S]*Build a boat[\s\S]*Keep names/);
  const failing = createScriptedModel({ script: () => ({ error: { message: "no luck" } }) });
  await expect(call("generateSummaryWithUsage", [user("x")], failing, 1000)).rejects.toThrow("no luck");
});
