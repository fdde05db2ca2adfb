import { appendFile, rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { FileDescriptions } from "../../../../src/modes/serve/sessions/describe-file.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
const message = (role: string, fields: object = {}) => ({ type: "message", message: { role, content: "x", ...fields }, id: "1" });
const user = message("user", { content: [{ type: "text", text: "Do it" }] });
const answer = (stopReason: string) => message("assistant", { content: [], stopReason });
const result = message("toolResult");
const named = (name: string) => ({ type: "session_info", name, id: "2" });

const toLines = (entries: readonly object[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

test.each([
  ["no prompt", [], false],
  ["a prompt without an answer", [user], true],
  ["an answer", [user, answer("stop")], false],
  ["an answer that was cut off by its length", [user, answer("length")], false],
  ["a failed answer", [user, answer("error")], false],
  ["an abort", [user, answer("aborted")], false],
  ["a tool call without a result", [user, answer("toolUse")], true],
  ["a result without an answer", [user, answer("toolUse"), result], true],
  ["the end of a tool loop", [user, answer("toolUse"), result, answer("stop")], false],
  ["a second prompt", [user, answer("stop"), user], true],
  ["a command of the user behind the answer", [user, answer("stop"), message("bashExecution")], false],
  ["a command of the user behind a prompt", [user, message("bashExecution")], true],
  ["other entries behind a prompt", [user, named("n"), { type: "custom", customType: "x", data: { message: 1 } }], true],
  ["fields in another order", [{ id: "1", message: { content: "x", role: "user" }, type: "message" }], true],
])("%s", async (_what, entries, isInterrupted) => {
  const path = await workspace.write("s.jsonl", toLines([header, ...entries]));
  expect((await new FileDescriptions().describe(path)).isInterrupted).toBe(isInterrupted);
});

test("the last name and the beginning of the first prompt", async () => {
  const long = message("user", { content: "y".repeat(1000) });
  const path = await workspace.write("s.jsonl", toLines([header, named("a"), long, user, named("b"), named("")]));
  expect(await new FileDescriptions().describe(path)).toEqual({ name: "b", firstPrompt: "y".repeat(500), isInterrupted: true });
});

test("a file that has grown is read on, and one that was replaced is read anew", async () => {
  const descriptions = new FileDescriptions();
  const path = await workspace.write("s.jsonl", toLines([header, user]));
  expect(await descriptions.describe(path)).toEqual({ firstPrompt: "Do it", isInterrupted: true });
  const end = JSON.stringify(answer("stop"));
  await appendFile(path, end.slice(0, 20));
  expect((await descriptions.describe(path)).isInterrupted).toBe(true);
  await appendFile(path, `${end.slice(20)}\n${toLines([named("later")])}`);
  expect(await descriptions.describe(path)).toEqual({ name: "later", firstPrompt: "Do it", isInterrupted: false });
  await rm(path);
  expect(await descriptions.describe(path)).toEqual({ isInterrupted: false });
  await workspace.write("s.jsonl", toLines([header, message("user", { content: "Other ".repeat(200) })]));
  expect((await descriptions.describe(path)).firstPrompt).toMatch(/^Other /);
});

test("lines over several reads, and prompts of many megabytes, whose role is known from their beginning", async () => {
  const image = message("user", { content: "z".repeat(5 * 1024 * 1024) });
  const middle = message("toolResult", { content: "w".repeat(700_000) });
  const path = await workspace.write("s.jsonl", toLines([header, answer("stop"), image]));
  const descriptions = new FileDescriptions();
  expect(await descriptions.describe(path)).toEqual({ isInterrupted: true });
  await appendFile(path, toLines([middle, named("n"), user, answer("stop")]));
  expect(await descriptions.describe(path)).toEqual({ name: "n", firstPrompt: "Do it", isInterrupted: false });
});
