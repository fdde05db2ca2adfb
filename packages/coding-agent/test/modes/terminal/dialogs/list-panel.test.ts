import { assertLinear } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { chooseFrom } from "../../../../src/modes/terminal/dialogs/list-panel.ts";
import { FakeStage, keys } from "../../../helpers/fake-stage.ts";

const fruits = ["apple", "apricot", "banana", "cherry"].map((value) => ({ value, label: value, detail: `a kind of ${value}` }));

test("arrows select, Enter chooses, and the current value is marked and selected at first", async () => {
  const stage = new FakeStage();
  const chosen = chooseFrom(stage, { title: "Fruit", rows: fruits, current: "apricot" });
  expect(stage.lines()).toEqual([
    `── Fruit ${"─".repeat(71)}`,
    "> ▏",
    "  apple    a kind of apple",
    "❯ apricot ✓  a kind of apricot",
    "  banana   a kind of banana",
    "  cherry   a kind of cherry",
    "Enter chooses · Esc closes · type to search",
  ]);
  stage.press(keys.down, keys.down, keys.down);
  expect(stage.text).toContain("❯ apple");
  stage.press(keys.up, keys.enter);
  expect(await chosen).toBe("cherry");
  expect(stage.panels).toEqual([]);
});

test("typed text filters labels and details; Backspace takes it back; Esc and Ctrl-C choose nothing", async () => {
  const stage = new FakeStage();
  const chosen = chooseFrom(stage, { title: "Fruit", rows: fruits });
  stage.type("ban");
  expect(stage.lines().slice(1, -1)).toEqual(["> ban▏", "❯ banana  a kind of banana"]);
  stage.type("x");
  expect(stage.lines().slice(1, -1)).toEqual(["> banx▏", "  Nothing matches."]);
  stage.press(keys.enter);
  expect(stage.panels).toHaveLength(1);
  stage.press(keys.backspace, keys.backspace, keys.backspace, keys.backspace);
  expect(stage.lines()).toHaveLength(7);
  stage.press(keys.esc);
  expect(await chosen).toBeUndefined();
  const again = chooseFrom(stage, { title: "Fruit", rows: fruits });
  stage.press(keys.ctrlC);
  expect(await again).toBeUndefined();
});

test("a long list scrolls by rows and pages, shows the place, and never has more than the free rows", async () => {
  const stage = new FakeStage();
  const rows = Array.from({ length: 5000 }, (_, index) => ({ value: index, label: `row ${index}` }));
  const chosen = chooseFrom(stage, { title: "Rows", rows });
  expect(stage.lines(80, 10)).toHaveLength(10);
  expect(stage.lines(80, 100)).toHaveLength(18);
  stage.press(keys.pageDown);
  expect(stage.text).toContain("❯ row 15");
  expect(stage.text).toContain("16 of 5000");
  stage.press(keys.end);
  expect(stage.lines().at(-2)).toBe("❯ row 4999");
  stage.press(keys.pageUp);
  expect(stage.text).toContain("❯ row 4984");
  stage.press(keys.home, keys.up);
  expect(stage.text).toContain("❯ row 4999");
  stage.type("4321");
  expect(stage.text).toContain("❯ row 4321");
  stage.press(keys.enter);
  expect(await chosen).toBe(4321);
});

test.each([40, 80])("texts from outside are safe, on one line and within %i columns", (columns) => {
  const stage = new FakeStage();
  stage.columns = columns;
  const label = `\u001b[31mred\u001b[0m\r\n\ttwo ${"字".repeat(200)}`;
  void chooseFrom(stage, {
    title: label,
    rows: [
      { value: 1, label, detail: label },
      { value: 2, label: "短", detail: "x".repeat(500) },
    ],
    current: 1,
  });
  expect(stage.text).toContain("❯ red two 字");
  expect(stage.text).not.toContain("\u001b");
});

test("rows that come later keep the selection", async () => {
  const stage = new FakeStage();
  const { ListPanel } = await import("../../../../src/modes/terminal/dialogs/list-panel.ts");
  const panel = new ListPanel<string>({ theme: stage.theme, title: "Fruit", rows: fruits, onChoose: () => {} });
  stage.open(panel);
  stage.press(keys.down, keys.down);
  expect(panel.selected).toBe("banana");
  panel.setRows([{ value: "aronia", label: "aronia" }, ...fruits], { title: "Fruits", hint: "Tab more" });
  expect(panel.selected).toBe("banana");
  expect(stage.text).toContain("── Fruits ");
  expect(stage.text).toContain("Tab more · Enter chooses");
  panel.setRows([], { emptyText: "No fruit." });
  expect(stage.text).toContain("  No fruit.");
});

test("a list whose rows do not fit shows the selected row in full below it, on a fixed number of lines", () => {
  const stage = new FakeStage();
  stage.columns = 40;
  const rows = [
    { value: 1, label: "Buy milk and bread and something for the evening", detail: "2 hours ago · /home/ann/shopping" },
    { value: 2, label: "Short", detail: "now" },
  ];
  void chooseFrom(stage, { title: "Sessions", rows });
  expect(stage.lines().slice(2)).toEqual([
    "❯ Buy milk and bread and something for …",
    "  Short  now",
    "  Buy milk and bread and something for",
    "  the evening · 2 hours ago ·",
    "  /home/ann/shopping",
    "Enter chooses · Esc closes",
  ]);
  stage.press(keys.down);
  expect(stage.lines().slice(4)).toEqual(["  Short · now", "", "", "Enter chooses · Esc closes"]);
  expect(stage.lines(40, 8)).toHaveLength(5);
});

test("searching and moving in a list takes time in proportion to its length", async () => {
  const stage = new FakeStage();
  await assertLinear(20_000, (size) => {
    const rows = Array.from({ length: size }, (_, index) => ({
      value: index,
      label: `model ${index}`,
      detail: "a model of a provider",
    }));
    return () => {
      void chooseFrom(stage, { title: "Models", rows });
      stage.type("odel 12");
      stage.press(keys.down, keys.end, keys.esc);
    };
  });
});
