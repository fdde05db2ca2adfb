import { emptyUsage, type Usage } from "@pikit/ai";
import { heldBytes } from "@pikit/test-kit";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EntryContent, SessionEntry } from "../../src/conversation/entries.ts";
import { StatsCounter } from "../../src/conversation/stats.ts";
import { SessionStatsSchema } from "../../src/protocol/data.ts";
import { assistantMessage, toolResult, userMessage } from "../helpers/messages.ts";

const place = { sessionId: "s", contextUsage: { tokens: 100, contextWindow: 1000, percent: 10 } };

function entry(content: EntryContent, index = 0): SessionEntry {
  return { ...content, id: String(index).padStart(8, "0"), parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
}

function usage(tokens: number, costUsd: number): Usage {
  const cost = { ...emptyUsage().cost, input: costUsd, total: costUsd };
  return { input: tokens, output: tokens * 2, cacheRead: tokens * 3, cacheWrite: tokens * 4, totalTokens: tokens * 10, cost };
}

const message = (content: (EntryContent & { type: "message" })["message"]) => entry({ type: "message", message: content });
const call = { type: "toolCall" as const, id: "1", name: "bash", arguments: {} };

test("SE-022 all messages count, compacted and abandoned ones too, and what summaries used", () => {
  const counter = new StatsCounter();
  const entries = [
    entry({ type: "model_change", provider: "p", modelId: "m" }),
    message(userMessage("Hi")),
    message(assistantMessage("no", { stopReason: "error", usage: usage(1, 0.25) })),
    message(assistantMessage("yes", { content: [{ type: "text", text: "yes" }, call, call], usage: usage(10, 0.5) })),
    message(toolResult("1", "a")),
    message(toolResult("2", "b")),
    entry({ type: "compaction", summary: "…", firstKeptEntryId: "x", tokensBefore: 9, usage: usage(100, 1) }),
    entry({ type: "branch_summary", fromId: "x", summary: "…", usage: usage(1000, 2) }),
    entry({ type: "branch_summary", fromId: "x", summary: "…" }),
    entry({ type: "custom_message", customType: "ttsr", content: "rule", display: true }),
    entry({ type: "custom", customType: "pikit.todos", data: {} }),
    message({
      ...{ role: "bashExecution", command: "ls", output: "", exitCode: 0, cancelled: false, truncated: false },
      ...{ fullOutputPath: null, timestamp: 1 },
    }),
    // Another branch from the root.
    message(userMessage("Anew")),
  ];
  for (const each of entries) counter.add(each);
  const stats = counter.toStats(place);
  expect(stats).toEqual({
    sessionId: "s",
    userMessages: 2,
    assistantMessages: 2,
    toolCalls: 2,
    toolResults: 2,
    totalMessages: 8,
    tokens: { input: 1111, output: 2222, cacheRead: 3333, cacheWrite: 4444, total: 11110 },
    cost: 3.75,
    contextUsage: { tokens: 100, contextWindow: 1000, percent: 10 },
  });
  expect(Value.Check(SessionStatsSchema, stats)).toBe(true);
  expect(counter.usage.totalTokens).toBe(11110);
});

test("what sub-tasks used counts with the result of delegate, and of no other tool", () => {
  const counter = new StatsCounter();
  const details = { usage: usage(5, 0.5) };
  counter.add(message({ ...toolResult("1", "done"), toolName: "delegate", details }));
  counter.add(message({ ...toolResult("2", "failed"), toolName: "delegate", isError: true, details }));
  counter.add(message({ ...toolResult("3", "left behind"), toolName: "delegate", details: null }));
  counter.add(message({ ...toolResult("4", "x"), toolName: "other", details }));
  expect(counter.toStats(place)).toMatchObject({ toolResults: 4, tokens: { input: 10, total: 100 }, cost: 1 });
});

test("SC-011 whatever a file holds in the place of usage and content, counts stay numbers", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.jsonValue(), fc.jsonValue()), { maxLength: 5 }), (values) => {
      const counter = new StatsCounter();
      for (const [strange, content] of values) {
        const overrides = { usage: strange as never, content: content as never };
        counter.add(message(assistantMessage("x", overrides)));
        counter.add(message({ ...toolResult("1", "x"), toolName: "delegate", details: strange }));
        counter.add(entry({ type: "compaction", summary: "", firstKeptEntryId: "x", tokensBefore: 0, usage: strange as never }));
      }
      const stats = counter.toStats(place);
      expect(Value.Check(SessionStatsSchema, stats)).toBe(true);
      expect(Object.values(stats.tokens).every((count) => count >= 0 && Number.isFinite(count))).toBe(true);
    }),
  );
});

test("adding a million entries keeps none of them", async () => {
  const counter = new StatsCounter();
  const text = "x".repeat(10_000);
  const before = await heldBytes();
  for (let index = 0; index < 1_000_000; index += 1) {
    counter.add(message(assistantMessage(`${index}${text}`, { usage: usage(1, 0.001) })));
  }
  expect(counter.toStats(place).tokens.total).toBe(10_000_000);
  expect((await heldBytes()) - before).toBeLessThan(10 * 1024 * 1024);
});
