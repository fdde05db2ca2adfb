import { expect, test } from "vitest";
import { ConfirmPanel } from "../../../../src/modes/terminal/dialogs/confirm-panel.ts";
import { showMessage } from "../../../../src/modes/terminal/dialogs/message-panel.ts";
import { askForText, EditorPanel } from "../../../../src/modes/terminal/dialogs/text-panel.ts";
import { wrapHanging, wrapPlain } from "../../../../src/modes/terminal/lines.ts";
import { FakeStage, keys } from "../../../helpers/fake-stage.ts";

test("a message scrolls to its end, line by line and page by page, and says where it is", async () => {
  const stage = new FakeStage();
  stage.rows = 6;
  const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n");
  const closed = showMessage(stage, "Long", text);
  expect(stage.lines().slice(1)).toEqual([
    "line 1",
    "line 2",
    "line 3",
    "lines 1 to 3 of 20 · PageUp, PageDown",
    "Esc closes this",
  ]);
  stage.press(keys.pageDown, keys.down);
  expect(stage.text).toContain("lines 5 to 7 of 20");
  stage.press(keys.end);
  expect(stage.lines().slice(1, 4)).toEqual(["line 18", "line 19", "line 20"]);
  stage.press(keys.pageUp, keys.up, keys.home);
  expect(stage.text).toContain("lines 1 to 3 of 20");
  stage.press("q");
  await closed;
  expect(stage.panels).toEqual([]);
});

test.each([
  ["", 5, [""]],
  ["abc", 5, ["abc"]],
  ["ab cd efgh", 5, ["ab cd", "efgh"]],
  ["abcdefghij", 4, ["abcd", "efgh", "ij"]],
  ["      abcdef", 4, ["    ", "  ab", "cdef"]],
  ["字字字", 4, ["字字", "字"]],
])("%j in %i cells", (line, width, lines) => {
  expect(wrapPlain(line, width)).toEqual(lines);
});

test.each([
  ["  /name  a description that is long", 20, ["  /name  a", "    description that", "    is long"]],
  ["no table, but a longer line", 20, ["no table, but a", "longer line"]],
  ["  short", 20, ["  short"]],
])("the row %j in %i cells", (line, width, lines) => {
  expect(wrapHanging(line, width)).toEqual(lines);
});

test("every character of a long line is shown", () => {
  for (const letter of ["x", "字", "é"]) {
    expect(wrapPlain(letter.repeat(30_000), 77).join("")).toBe(letter.repeat(30_000));
  }
});

test("a question takes the letters of its answers, also as capitals and in the Kitty protocol; other keys do nothing", () => {
  const stage = new FakeStage();
  const answers: unknown[] = [];
  const choices = [
    { key: "y", label: "yes", value: 1 },
    { key: "n", label: "no", value: 2 },
  ];
  stage.open(
    new ConfirmPanel({
      theme: stage.theme,
      title: "Well?",
      text: "text",
      choices,
      escLabel: "no",
      onAnswer: (answer) => answers.push(answer),
    }),
  );
  stage.press("x", keys.enter, "y", "N", "\u001b[121u", keys.esc, keys.ctrlC);
  expect(answers).toEqual([1, 2, 1, undefined, undefined]);
});

test("a line of text: typed, edited, accepted; Esc gives none", async () => {
  const stage = new FakeStage();
  const answer = askForText(stage, { title: "Name", value: "old", placeholder: "a name" });
  expect(stage.lines()[1]).toBe("> old▏");
  stage.type("er");
  stage.press(keys.left, keys.left, keys.backspace);
  stage.press("\u001b[200~pas\nted\u001b[201~");
  expect(stage.lines(40)[1]).toBe("> olpasted▏er");
  stage.press(keys.enter);
  expect(await answer).toBe("olpasteder");
  const none = askForText(stage, { title: "Name", text: "A long explanation. ".repeat(30) });
  expect(stage.lines(40, 8)).toHaveLength(8);
  stage.press(keys.esc);
  expect(await none).toBeUndefined();
});

test("a secret is not shown, only its length", async () => {
  const stage = new FakeStage();
  const answer = askForText(stage, { title: "Key", isSecret: true });
  stage.type("sk-secret");
  for (const columns of [40, 80]) expect(stage.lines(columns)[1]).toBe("> ••••••••• (9 characters)");
  stage.press(`\u001b[200~${"k".repeat(100)}\u001b[201~`);
  expect(stage.lines(40)[1]).toBe(`> ${"•".repeat(20)} (109 characters)`);
  stage.press(keys.enter);
  expect(await answer).toBe(`sk-secret${"k".repeat(100)}`);
});

test("a longer text: several lines, accepted with Enter", () => {
  const stage = new FakeStage();
  const answers: unknown[] = [];
  const options = { theme: stage.theme, title: "Text", value: "one\ntwo", refresh: () => stage.refresh() };
  stage.open(new EditorPanel({ ...options, onAnswer: (text) => answers.push(text) }));
  stage.press(keys.ctrlJ);
  stage.type("three");
  expect(stage.lines().slice(1, 4)).toEqual(["one", "two", "three▏"]);
  expect(stage.lines(40).at(-1)).toBe("Esc cancels");
  stage.press(keys.enter);
  expect(answers).toEqual(["one\ntwo\nthree"]);
  stage.press(keys.esc);
  expect(answers).toEqual(["one\ntwo\nthree", undefined]);
});
