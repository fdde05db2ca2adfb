import { expect, test } from "vitest";
import { Conversation } from "../../../src/conversation/conversation.ts";
import { MemorySessionStore } from "../../../src/conversation/memory-store.ts";
import { planCompaction } from "../../../src/run/compaction/cut-point.ts";
import { assistantMessage, userMessage } from "../../helpers/messages.ts";

async function say(conversation: Conversation, text: string): Promise<string> {
  await conversation.append({ type: "message", message: userMessage(text) });
  return (await conversation.append({ type: "message", message: assistantMessage(`re ${text}`) })).id;
}

async function summarisedTexts(conversation: Conversation): Promise<unknown[]> {
  const plan = planCompaction(await conversation.contextEntries(), 3);
  return plan?.summarised.flatMap((message) => (message.role === "user" ? [message.content] : [])) ?? [];
}

test("CP-017 an abandoned branch is not summarised, its compaction does not count, and the one that is left is", async () => {
  const conversation = Conversation.create(new MemorySessionStore(), { cwd: "/" });
  const fork = await say(conversation, "one");
  const abandoned = await say(conversation, "abandoned");
  await conversation.append({ type: "compaction", summary: "of the abandoned", firstKeptEntryId: abandoned, tokensBefore: 1 });
  conversation.moveTo(fork);
  await say(conversation, "two");
  await say(conversation, "three");
  expect(await summarisedTexts(conversation)).toEqual(["one", "two"]);
});

test("CP-007 what a conversation says of its context is what the next compaction divides", async () => {
  const conversation = Conversation.create(new MemorySessionStore(), { cwd: "/" });
  await say(conversation, "one");
  const kept = await conversation.append({ type: "message", message: userMessage("two") });
  await conversation.append({ type: "compaction", summary: "s", firstKeptEntryId: kept.id, tokensBefore: 1 });
  await say(conversation, "three");
  await say(conversation, "four");
  await conversation.readContext();
  expect(await summarisedTexts(conversation)).toEqual(["two", "three"]);
});
