import { expect, test } from "vitest";
import type { Panel } from "../../../../src/modes/terminal/panel.ts";
import { ctrl, key, plainTheme, TestEditor } from "./helpers.ts";

function create(prompts: string[]) {
  const open: Panel[] = [];
  const stage = {
    refresh: () => undefined,
    rows: 24,
    open(panel: Panel) {
      open.push(panel);
      return () => void open.splice(open.indexOf(panel), 1);
    },
  };
  const editor = new TestEditor({ stage, theme: plainTheme, history: { list: () => prompts, add: () => undefined } });
  editor.type("draft");
  expect(editor.press(ctrl("r"))).toBe(true);
  const press = (...keys: string[]) => {
    for (const each of keys) open.at(-1)?.handleKey(each);
  };
  const rows = () =>
    open
      .at(-1)
      ?.render(40, 10)
      .filter((line) => line.includes("alpha")) ?? [];
  return { editor, open, press, rows };
}

test("Ctrl-R searches the earlier prompts, the latest first, and puts the chosen one into the editor", () => {
  const { editor, open, press, rows } = create(["alpha one", "beta\nalpha", "alpha two\nof it", "gamma"]);
  expect(rows().map((line) => line.trim().replace(/^\W+/, ""))).toEqual(["alpha two of it", "beta alpha", "alpha one"]);
  press(..."two", key.enter);
  expect([open.length, ...editor.lines()]).toEqual([0, "› alpha two", "  of it|"]);
});

test("Escape leaves the editor as it was, and so does a search without prompts", () => {
  for (const prompts of [["alpha"], []]) {
    const { editor, open, press } = create(prompts);
    press(key.enter);
    if (prompts.length > 0) expect(editor.lines()).toEqual(["› alpha|"]);
    else {
      press(key.escape);
      expect(editor.lines()).toEqual(["› draft|"]);
    }
    expect(open).toEqual([]);
  }
});

test("without panels the key is left to the session", () => {
  expect(new TestEditor().press(ctrl("r"))).toBe(false);
});
