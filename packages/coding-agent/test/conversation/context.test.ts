import { assertLinear } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { readBranch } from "../../src/conversation/context.ts";
import type { EntryContent, SessionEntry } from "../../src/conversation/entries.ts";
import { SessionTree } from "../../src/conversation/session-tree.ts";
import { assistantMessage, userMessage } from "../helpers/messages.ts";

const timestamp = "2026-01-01T00:00:00.000Z";
const at = Date.parse(timestamp);

/** Entries that follow each other, with ids e0, e1, … */
function chain(...contents: EntryContent[]): SessionEntry[] {
  return contents.map((content, index) => ({
    ...content,
    id: `e${index}`,
    parentId: index === 0 ? null : `e${index - 1}`,
    timestamp,
  }));
}

const says = (text: string): EntryContent => ({ type: "message", message: userMessage(text) });

test("SE-012 names, labels, state and unknown types are not sent; model and level are the last of the path", () => {
  const context = readBranch(
    chain(
      { type: "model_change", provider: "a", modelId: "1" },
      { type: "thinking_level_change", thinkingLevel: "low" },
      says("one"),
      { type: "session_info", name: "name" },
      { type: "label", targetId: "e2", label: "mark" },
      { type: "custom", customType: "pikit.todos", data: { phases: [] } },
      { type: "model_change", provider: "b", modelId: "2" },
      { type: "thinking_level_change", thinkingLevel: "high" },
      { type: "from_the_future", messages: [1] } as unknown as EntryContent,
      { type: "message", message: assistantMessage("two") },
    ),
  );
  expect(context).toEqual({
    messages: [userMessage("one"), assistantMessage("two")],
    model: { provider: "b", modelId: "2" },
    thinkingLevel: "high",
  });
});

test("SE-012 branch summaries and custom messages become messages with the entry's time", () => {
  const { messages } = readBranch(
    chain(
      { type: "branch_summary", fromId: "e9", summary: "went elsewhere", details: { readFiles: [] } },
      { type: "custom_message", customType: "note", content: "hello", display: false, details: { a: 1 } },
      { type: "custom_message", customType: "note", content: [{ type: "text", text: "blocks" }], display: true },
    ),
  );
  expect(messages).toEqual([
    { role: "branchSummary", summary: "went elsewhere", fromId: "e9", timestamp: at },
    { role: "custom", customType: "note", content: "hello", display: false, details: { a: 1 }, timestamp: at },
    { role: "custom", customType: "note", content: [{ type: "text", text: "blocks" }], display: true, timestamp: at },
  ]);
});

const compaction = (summary: string, firstKeptEntryId: string): EntryContent => ({
  type: "compaction",
  summary,
  firstKeptEntryId,
  tokensBefore: 9,
});
const summaryMessage = (summary: string) => ({ role: "compactionSummary", summary, tokensBefore: 9, timestamp: at });

test("SE-012 the latest compaction stands for what came before the first entry it kept", () => {
  const entries = chain(
    says("0"),
    says("1"),
    compaction("first", "e1"),
    says("3"),
    { type: "model_change", provider: "p", modelId: "m" },
    says("5"),
    compaction("second", "e5"),
    says("7"),
  );
  expect(readBranch(entries.slice(0, 4)).messages).toEqual([summaryMessage("first"), userMessage("1"), userMessage("3")]);
  expect(readBranch(entries)).toMatchObject({
    messages: [summaryMessage("second"), userMessage("5"), userMessage("7")],
    model: { modelId: "m" },
  });
});

test.each(["missing", "e3"])("a compaction that kept nothing of the path (%s) leaves its summary and what follows", (firstKept) => {
  expect(readBranch(chain(says("0"), says("1"), compaction("all", firstKept), says("3"))).messages).toEqual([
    summaryMessage("all"),
    userMessage("3"),
  ]);
});

test("SE-010 a branch of 100,000 entries is read in linear time and without recursion", async () => {
  await assertLinear(100_000, (count) => {
    const entries = chain(...Array.from({ length: count }, (_, n) => says(String(n))));
    return () => {
      const tree = new SessionTree();
      for (const each of entries) tree.add(each);
      const branch = tree.pathTo(tree.leafId).map(({ entry }) => entry as SessionEntry);
      expect(readBranch(branch).messages).toHaveLength(count);
    };
  });
});
