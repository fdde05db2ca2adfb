import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { chooseFrom } from "../../../../src/modes/terminal/dialogs/list-panel.ts";
import { StageUser } from "../../../../src/modes/terminal/dialogs/stage-user.ts";
import { Widgets } from "../../../../src/modes/terminal/dialogs/widgets.ts";
import { FakeStage, keys } from "../../../helpers/fake-stage.ts";

function open() {
  const stage = new FakeStage();
  return { stage, user: new StageUser(stage) };
}

const approval = { title: "Allow bash?", message: "short", reasons: "", call: "git push origin main", isDiff: false };

test("dialogs come one at a time, in the order in which they were asked", async () => {
  const { stage, user } = open();
  const first = user.confirm({ title: "First?", message: "one" });
  const second = user.select({ title: "Second", options: ["red", "blue"] });
  const third = user.input({ title: "Third", placeholder: "a word" });
  await stage.shows("First?");
  expect(stage.panels).toHaveLength(1);
  stage.press("y");
  expect(await first).toBe(true);
  await stage.shows("Second");
  stage.press(keys.down, keys.enter);
  expect(await second).toBe("blue");
  await stage.shows("Third");
  expect(stage.text).toContain("a word");
  stage.type("word");
  stage.press(keys.enter);
  expect(await third).toBe("word");
  expect(stage.panels).toEqual([]);
});

test("Esc gives each dialog its default", async () => {
  const { stage, user } = open();
  const answers = Promise.all([
    user.confirm({ title: "Confirm", message: "" }),
    user.select({ title: "Select", options: ["red"] }),
    user.input({ title: "Input" }),
    user.editor({ title: "Editor", prefill: "text" }),
    user.clarify({ reason: "max_iterations", message: "Clarify", suggestions: [] }),
    user.approve(approval),
  ]);
  for (const title of ["Confirm", "Select", "Input", "Editor", "Clarify", "Allow bash?"]) {
    await stage.shows(title);
    stage.press(keys.esc);
  }
  expect(await answers).toEqual([false, undefined, undefined, undefined, { action: "stop" }, { decision: "no" }]);
});

test("an abort ends a dialog at once, also while it waits; a timeout counts from its display", async () => {
  const clock = holdClock();
  const { stage, user } = open();
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const shown = user.confirm({ title: "Shown", message: "" }, options);
  const waiting = user.input({ title: "Waiting" }, options);
  const late = user.confirm({ title: "Late", message: "" }, { timeoutMs: 60_000 });
  await stage.shows("Shown");
  clock.pass(60_000);
  controller.abort();
  expect(await Promise.all([shown, waiting])).toEqual([false, undefined]);
  await stage.shows("Late");
  clock.pass(59_999);
  expect(stage.panels).toHaveLength(1);
  clock.pass(1);
  expect(await late).toBe(false);
  expect(stage.panels).toEqual([]);
  expect(await user.confirm({ title: "Never", message: "" }, { signal: AbortSignal.abort() })).toBe(false);
  expect(clock.timers).toBe(0);
});

test("an approval shows the reasons and the whole command, and takes yes, this session, no, and no with a reason", async () => {
  const { stage, user } = open();
  const question = {
    ...approval,
    reasons: "It deletes recursively: rm -rf build.",
    call: "rm -rf build\nls",
    sessionScope: "exactly this command",
  };
  const ask = async (...pressed: string[]) => {
    const answer = user.approve(question);
    await stage.shows("Allow bash?");
    stage.press(...pressed);
    return answer;
  };
  const first = user.approve(question);
  await stage.shows("Allow bash?");
  expect(stage.lines().slice(1)).toEqual([
    "It deletes recursively: rm -rf build.",
    "rm -rf build",
    "ls",
    "y yes, once · a for this session (exactly this command) · n no",
    "x no, for this session · r no, with a reason · Esc no",
  ]);
  expect(stage.lines(40).slice(-5)).toEqual([
    "y yes, once",
    "a for this session (exactly this",
    "command)",
    "n no · x no, for this session",
    "r no, with a reason · Esc no",
  ]);
  stage.press("y");
  expect(await first).toEqual({ decision: "once" });
  expect(await ask("a")).toEqual({ decision: "session" });
  expect(await ask("n")).toEqual({ decision: "no" });
  expect(await ask("r", ..."use git clean", keys.enter)).toEqual({ decision: "no", reason: "use git clean" });
  expect(await ask("r", keys.esc, "y")).toEqual({ decision: "once" });
  expect(await ask("r", keys.enter)).toEqual({ decision: "no" });
});

test("an approval that can be kept names the rule and its file, and takes always", async () => {
  const { stage, user } = open();
  const answer = user.approve({ ...approval, sessionScope: "bash(git push:*)", ruleFile: "~/.pi/agent/settings.json" });
  await stage.shows("Allow bash?");
  expect(stage.text).toContain("a for this session (bash(git push:*))");
  expect(stage.text).toContain("s always (rule in ~/.pi/agent/settings.json)");
  stage.press("s");
  expect(await answer).toEqual({ decision: "always" });
  for (const [key, decision] of [
    ["x", "never"],
    ["f", "forbid"],
  ] as const) {
    const refused = user.approve({ ...approval, sessionScope: "bash(git push:*)", ruleFile: "~/.pi/agent/settings.json" });
    await stage.shows("Allow bash?");
    stage.press(key);
    expect(await refused).toEqual({ decision });
  }
});

test("without a rule for the session there is no such answer", async () => {
  const { stage, user } = open();
  const answer = user.approve(approval);
  await stage.shows("git push origin main");
  expect(stage.text).not.toContain("for this session");
  stage.press("a", "n");
  expect(await answer).toEqual({ decision: "no" });
});

test("a long diff scrolls and nothing of it is left out", async () => {
  const { stage, user } = open();
  stage.rows = 12;
  const call = [" a.ts", ...Array.from({ length: 40 }, (_, index) => `+line ${index}`)].join("\n");
  void user.approve({ ...approval, title: "Allow edit?", call, isDiff: true });
  await stage.shows("Allow edit?");
  const seen = new Set<string>();
  for (let page = 0; page < 10; page += 1) {
    for (const line of stage.lines()) seen.add(line);
    stage.press(keys.pageDown);
  }
  expect([...seen].filter((line) => line.startsWith("+"))).toHaveLength(40);
});

test("letters that the user is typing into the editor do not answer a question that appears", async () => {
  const clock = holdClock();
  const { stage, user } = open();
  stage.promptText = "Please tr";
  const answer = user.approve(approval);
  await stage.shows("Allow bash?");
  stage.type("y ");
  clock.pass(499);
  stage.type("a");
  expect(stage.panels).toHaveLength(1);
  clock.pass(500);
  stage.press("n");
  expect(await answer).toEqual({ decision: "no" });
});

test("letters that the user is typing into a list do not answer a question that appears above it", async () => {
  const clock = holdClock();
  const { stage, user } = open();
  const chosen = chooseFrom(stage, { title: "Model", rows: [{ value: 1, label: "sonnet" }] });
  stage.type("s");
  const answer = user.approve(approval);
  await stage.shows("Allow bash?");
  stage.type("yayny");
  clock.pass(500);
  stage.press("y");
  expect(await answer).toEqual({ decision: "once" });
  stage.press(keys.enter);
  expect(await chosen).toBe(1);
});

test("at a limit the user continues, continues with a hint, or stops", async () => {
  const { stage, user } = open();
  const limit = { reason: "max_iterations" as const, message: "The run has used 3 model calls.", suggestions: [] };
  const ask = async (...pressed: string[]) => {
    const answer = user.clarify(limit);
    await stage.shows("3 model calls");
    stage.press(...pressed);
    return answer;
  };
  expect(await ask("c")).toEqual({ action: "continue" });
  expect(await ask("s")).toEqual({ action: "stop" });
  const hinted = ask("h");
  await stage.shows("A hint for the model");
  stage.type("look in src");
  stage.press(keys.enter);
  expect(await hinted).toEqual({ action: "continue", hint: "look in src" });
});

test("statuses and widgets have keys, and limits in number and size", () => {
  const stage = new FakeStage();
  const widgets = new Widgets();
  const user = new StageUser(stage, { widgets });
  user.setStatus("a", "one\u001b]0;title\u0007\nline");
  user.setStatus("b", "x".repeat(2000));
  user.setWidget("above", ["first", "sec\u0007ond"]);
  user.setWidget("below", ["third\twith tab", "two\nlines"], "belowEditor");
  expect(widgets.statusTexts).toEqual(["one line", `${"x".repeat(999)}…`]);
  expect(widgets.above(80)).toEqual(["first", "second"]);
  expect(widgets.below(80)).toEqual(["third    with tab", "two", "lines"]);
  user.setStatus("a");
  user.setWidget("above");
  user.setWidget(
    "below",
    Array.from({ length: 30 }, (_, index) => `line ${index}`),
  );
  expect(widgets.statusTexts).toHaveLength(1);
  expect(widgets.below(80)).toEqual([]);
  expect(widgets.above(80)).toEqual([...Array.from({ length: 9 }, (_, index) => `line ${index}`), "… 21 more lines"]);
  for (let index = 0; index < 50; index += 1) user.setStatus(`key ${index}`, "text");
  expect(widgets.statusTexts).toHaveLength(20);
  expect(stage.notes[0]).toBe('warning: There are too many status lines; "key 19" is not shown.');
});

test("notifications, the title and the text of the editor are passed on", () => {
  const { stage, user } = open();
  user.notify("Done");
  user.notify("Broken", "error");
  user.setTitle("pi\u0007\u001b[2J\nevil");
  user.setEditorText("text\u001b[2J");
  expect(stage.notes).toEqual(["Done", "error: Broken"]);
  expect(stage.sequences).toEqual(["\u001b]0;pi evil\u0007"]);
  expect(stage.promptText).toBe("text");
});

test("an extension that gives other values than texts does not stop the dialogs after it", async () => {
  const { stage, user } = open();
  const odd = user.select({ title: 5, options: undefined } as unknown as { title: string; options: string[] });
  expect(await odd).toBeUndefined();
  const number = user.confirm({ title: 7, message: null } as unknown as { title: string; message: string });
  await stage.shows("7");
  stage.press("y");
  expect(await number).toBe(true);
});
