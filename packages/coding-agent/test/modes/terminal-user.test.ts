import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { ScriptedAnswer } from "@pikit/ai";
import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { TerminalUser } from "../../src/modes/terminal-user.ts";
import { hasTerminal, runInTerminal } from "../helpers/terminal.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** Types each answer when its question is on the terminal. */
function playUser(...answers: [question: string, typed: string][]) {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  let shown = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    // Several questions may come at once.
    for (let next = answers[0]; next && shown.includes(next[0]); next = answers[0]) {
      const [question, typed] = next;
      answers.shift();
      shown = shown.slice(shown.indexOf(question) + question.length);
      setImmediate(() => stdin.write(typed));
    }
  });
  return { user: new TerminalUser({ stdin, stderr }), stdin };
}

test("a question is answered by a line: only a yes is a yes", async () => {
  const { user } = playUser(["[y/N] ", "y\n"], ["[y/N] ", "YES \n"], ["[y/N] ", "\n"], ["[y/N] ", "yolo\n"]);
  const question = { title: "Allow bash?", message: "rm -rf data\nls" };
  const answers: boolean[] = [];
  for (let index = 0; index < 4; index += 1) answers.push(await user.confirm(question));
  expect(answers).toEqual([true, true, false, false]);
});

test("a tool call is shown without characters that control the terminal or turn the direction of the text", async () => {
  const stderr = new PassThrough();
  const stdin = new PassThrough();
  const user = new TerminalUser({ stdin, stderr });
  const call = "echo \u202e'x' fr- mr\u202c \u2066safe\u2069\x1b[2K";
  const answer = user.approve({ title: "Allow bash?", message: "", reasons: "", call, isDiff: false });
  let shown = "";
  await new Promise<void>((resolve) => {
    stderr.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
      if (shown.includes("[y/N] ")) resolve();
    });
  });
  stdin.write("n\n");
  expect(await answer).toEqual({ decision: "no" });
  expect(shown).toContain("  echo 'x' fr- mr safe\n");
});

test("a tool call is allowed once or for the session, or refused with a reason", async () => {
  const typed = ["y\n", "a\n", "N\n", "\n", "use git clean\n", "x\n", "a\n", "X\n", "s\n", "F\n", "s\n", "f\n"];
  const { user } = playUser(...typed.map((line): [string, string] => ["[y/N] ", line]));
  const question = { title: "Allow bash?", message: "", reasons: "It deletes.", call: "rm -rf data", isDiff: false };
  const answers: object[] = [];
  const withScope = { ...question, sessionScope: "exactly this command" };
  const withFile = { ...question, sessionScope: "bash(make:*)", ruleFile: "settings.json" };
  for (const each of [...Array(6).fill(withScope), question, question, withFile, withFile, question, withScope])
    answers.push(await user.approve(each));
  expect(answers).toEqual([
    { decision: "once" },
    { decision: "session" },
    { decision: "no" },
    { decision: "no" },
    { decision: "no", reason: "use git clean" },
    { decision: "never" },
    { decision: "no" },
    { decision: "no" },
    { decision: "always" },
    { decision: "forbid" },
    { decision: "no" },
    { decision: "no" },
  ]);
});

test("choices by number or name, a line, several lines, and how a run goes on", async () => {
  const { user } = playUser(
    ...([["none): ", "2\n"]] as [string, string][]),
    ["none): ", "red\n"],
    ["none): ", "7\n"],
    ["(a name) > ", " Ann \n"],
    ["> ", "\n"],
    ["> ", "one\ntwo\n\n"],
    ["hint > ", "y\n"],
    ["hint > ", "look in src\n"],
    ["hint > ", "\n"],
  );
  const colours = { title: "Colour?", options: ["red", "blue"] };
  expect([await user.select(colours), await user.select(colours), await user.select(colours)]).toEqual(["blue", "red", undefined]);
  expect(await user.input({ title: "Name?", placeholder: "a name" })).toBe("Ann");
  expect(await user.input({ title: "Nothing?" })).toBeUndefined();
  expect(await user.editor({ title: "Text?" })).toBe("one\ntwo");
  const limit = { reason: "max_iterations" as const, message: "Many calls.", suggestions: ["Continue", "Stop"] };
  expect(await user.clarify(limit)).toEqual({ action: "continue" });
  expect(await user.clarify(limit)).toEqual({ action: "continue", hint: "look in src" });
  expect(await user.clarify(limit)).toEqual({ action: "stop" });
});

test("an abort, a timeout and the end of the input give the default, and the next question is put", async () => {
  const clock = holdClock();
  const controller = new AbortController();
  const { user, stdin } = playUser(["[y/N] ", ""], ["[y/N] ", ""], ["[y/N] ", "y\n"]);
  const question = { title: "Allow?", message: "x" };
  const aborted = user.confirm(question, { signal: controller.signal });
  const late = user.confirm(question, { timeoutMs: 60_000 });
  const answered = user.confirm(question);
  setImmediate(() => controller.abort());
  expect(await aborted).toBe(false);
  expect(await clock.passUntil(late)).toBe(false);
  expect(await answered).toBe(true);
  expect(await user.confirm(question, { signal: AbortSignal.abort() })).toBe(false);
  const last = user.confirm(question);
  stdin.end();
  expect(await last).toBe(false);
});

test.skipIf(!hasTerminal).each([
  ["y\r", "gone"],
  ["n\r", "the user was asked and declined"],
])("pi --mode text on a terminal asks for approval there; typed: %j", async (typed, expected) => {
  const call: ScriptedAnswer = { toolCalls: [{ name: "bash", arguments: { command: "rm -rf data && echo gone" } }] };
  const model = await workspace.script(call, { text: "Done." });
  await workspace.write("work/data/x", "");
  const args = ["--mode", "text", "--model", model, "--approval", "on-risk", "Clean up"];
  const { output } = await runInTerminal(workspace, args, { typed: [{ after: "[y/N] ", keys: typed }] });
  expect(output).toContain("Allow bash?");
  expect(output).toContain("rm -rf data && echo gone");
  expect(output).toContain("Done.");
  const [file = ""] = await workspace.sessionFiles();
  expect(await readFile(file, "utf8")).toContain(expected);
  expect(existsSync(join(workspace.cwd, "data"))).toBe(expected !== "gone");
});
