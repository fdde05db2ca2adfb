import { expect, test } from "vitest";
import { describeSessionFile } from "../../src/conversation/describe-session.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

test("the last name and the first prompt of a session", async () => {
  const { session } = await createScriptedSession(workspace, [{ text: "One" }, { text: "Two" }], { name: "Draft" });
  await session.prompt("First question");
  await session.prompt('Second question with "user" and "session_info" in it');
  await session.history.setName("Final");
  expect(describeSessionFile(session.sessionFile as string)).toEqual({ name: "Final", firstPrompt: "First question" });
});

test("a prompt with an image: its text", async () => {
  const { session } = await createScriptedSession(workspace, [{ text: "Nice" }]);
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await session.prompt("What is this?", { images: [{ type: "image", data, mimeType: "image/png" }] });
  expect(describeSessionFile(session.sessionFile as string)).toEqual({ firstPrompt: "What is this?" });
});

test("lines that are not entries are skipped", async () => {
  const path = await workspace.write(
    "odd.jsonl",
    [
      '{"type":"session","version":3,"id":"x","timestamp":"2026-11-22T00:00:00.000Z","cwd":"/"}',
      '{"type":"session_info","name":7}',
      '{"type":"message","message":null,"user":"user"}',
      '{"type":"message","message":{"role":"user","content":[null,{"type":"text","text":5}]}}',
      'broken "user" "session_info"',
      '{"type":"message","message":{"role":"user","content":"Here"}}',
    ].join("\n"),
  );
  expect(describeSessionFile(path)).toEqual({ firstPrompt: "Here" });
});
