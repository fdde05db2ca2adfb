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
  expect(describeSessionFile(session.sessionFile as string)).toEqual({
    name: "Final",
    firstPrompt: "First question",
    isInterrupted: false,
  });
});

test("a prompt with an image: its text", async () => {
  const { session } = await createScriptedSession(workspace, [{ text: "Nice" }]);
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await session.prompt("What is this?", { images: [{ type: "image", data, mimeType: "image/png" }] });
  expect(describeSessionFile(session.sessionFile as string)).toEqual({
    firstPrompt: "What is this?",
    isInterrupted: false,
  });
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
  expect(describeSessionFile(path)).toEqual({ firstPrompt: "Here", isInterrupted: true });
});

/** A message as pi writes it, or as another program does, with the role behind the content. */
const line = (role: string, fields: object = {}, isOfPi = true) => {
  const message = isOfPi ? { role, ...fields } : { ...fields, role };
  return JSON.stringify(isOfPi ? { type: "message", message } : { id: "x", message, type: "message" });
};

test.each([true, false])("a session is interrupted while its last message has no answer (lines of pi: %s)", async (isOfPi) => {
  const of = (role: string, fields?: object) => line(role, fields, isOfPi);
  const describeLines = async (...lines: string[]) => describeSessionFile(await workspace.write("s.jsonl", lines.join("\n")));
  const user = of("user", { content: "Go on" });
  const calling = of("assistant", { content: [], stopReason: "toolUse" });
  const result = of("toolResult", { content: [] });
  const answer = of("assistant", { content: [], stopReason: "stop" });
  const later = ['{"type":"label","targetId":"message"}', of("bashExecution", { command: "ls", output: "" })];
  const interrupted = { firstPrompt: "Go on", isInterrupted: true };
  expect(await describeLines()).toEqual({ isInterrupted: false });
  expect(await describeLines(user, ...later)).toEqual(interrupted);
  expect(await describeLines(user, calling, ...later)).toEqual(interrupted);
  expect(await describeLines(user, calling, result)).toEqual(interrupted);
  expect(await describeLines(user, calling, result, answer, ...later)).toEqual({ ...interrupted, isInterrupted: false });
  expect(await describeLines(user, of("assistant", { content: [], stopReason: "aborted" }))).toMatchObject({
    isInterrupted: false,
  });
  expect(await describeLines(user, answer, user)).toEqual(interrupted);
});

test("a long prompt is cut; of a line that is too long to parse, the role counts", async () => {
  const large = line("user", { content: "x".repeat(5 * 1024 * 1024) });
  const path = await workspace.write("s.jsonl", [large, line("user", { content: "y".repeat(1000) }), large].join("\n"));
  expect(describeSessionFile(path)).toEqual({ firstPrompt: "y".repeat(500), isInterrupted: true });
});
