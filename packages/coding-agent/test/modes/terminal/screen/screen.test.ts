import fc from "fast-check";
import { expect, test } from "vitest";
import { CURSOR_MARKER, visibleWidth } from "../../../../src/modes/terminal/library.ts";
import { Screen } from "../../../../src/modes/terminal/screen/screen.ts";
import { VirtualTerminal } from "../../../helpers/virtual-terminal.ts";

function open(size: { columns?: number; rows?: number } = {}) {
  const terminal = new VirtualTerminal(size);
  return { terminal, screen: new Screen(terminal, { reflows: true }) };
}

test("printed lines stay above the live region, which is replaced, and the cursor is at its mark", async () => {
  const { terminal, screen } = open();
  screen.draw(["one", "two"], ["status", `> wo${CURSOR_MARKER}rd`]);
  expect(await terminal.lines()).toEqual(["one", "two", "status", "> word"]);
  expect(await terminal.cursor()).toEqual({ row: 3, column: 4 });
  screen.draw(["three"], ["busy", "still", `> ${CURSOR_MARKER}`]);
  expect(await terminal.lines()).toEqual(["one", "two", "three", "busy", "still", ">"]);
  screen.draw([], [`> ${CURSOR_MARKER}`]);
  expect(await terminal.lines()).toEqual(["one", "two", "three", ">"]);
  screen.close();
  expect(await terminal.lines()).toEqual(["one", "two", "three"]);
  expect(await terminal.cursor()).toEqual({ row: 3, column: 0 });
});

test("a frame writes only what has changed: the end of a line that grows, a line, or nothing", () => {
  const { terminal, screen } = open();
  screen.draw([], ["Hello", "status", `> ${CURSOR_MARKER}`]);
  const begin = terminal.written.length;
  screen.draw([], ["Hello", "status", `> ${CURSOR_MARKER}`]);
  expect(terminal.written.slice(begin)).toBe("");
  screen.draw([], ["Hello, you", "status", `> ${CURSOR_MARKER}`]);
  expect(terminal.written.slice(begin)).toBe("\x1b[?2026h\x1b[2A\x1b[6G, you\x1b[2B\x1b[3G\x1b[?2026l");
});

test("without a cursor mark the cursor is hidden; at the end it is shown", () => {
  const { terminal, screen } = open();
  screen.draw([], ["no cursor"]);
  expect(terminal.written).toContain("\x1b[?25l");
  screen.close();
  expect(terminal.written.endsWith("\x1b[?25h")).toBe(true);
});

test("a region of more lines than rows shows the last ones; an empty region hides no printed line", async () => {
  const { terminal, screen } = open({ rows: 3 });
  screen.draw(["printed"], ["1", "2", "3", "4"]);
  expect(await terminal.screen()).toEqual(["2", "3", "4"]);
  screen.draw(["more"], []);
  screen.draw(["end"], []);
  expect(await terminal.lines()).toEqual(["printed", "more", "end"]);
});

test("a region that another has drawn is taken over", async () => {
  const { terminal, screen } = open();
  terminal.write("header\r\n\r\n> ");
  screen.adopt(["", "> "], 2);
  screen.draw(["first"], [`> ${CURSOR_MARKER}`]);
  expect(await terminal.lines()).toEqual(["header", "first", ">"]);
});

test("lines that fill the row, wide characters, and colours stay whole", async () => {
  const { terminal, screen } = open({ columns: 10 });
  const full = "0123456789";
  screen.draw([full, "字字字字字"], [full, `\x1b[31mred\x1b[39m${CURSOR_MARKER}`]);
  screen.draw([full], [full, full]);
  screen.draw([], [full]);
  expect(await terminal.lines()).toEqual([full, "字字字字字", full, full]);
});

test("after a change of the width each printed line is there once, and so is the region", async () => {
  const { terminal, screen } = open({ columns: 60, rows: 12 });
  const line = (name: string, columns: number) => `${name} ${"-".repeat(columns - name.length - 1)}`;
  screen.draw([line("history", 60)], [line("top", 60), "middle", `> ${CURSOR_MARKER}`]);
  for (const columns of [33, 80, 40]) {
    await terminal.resize(columns, 12);
    screen.draw([], [line("top", columns), "middle", `> ${CURSOR_MARKER}`]);
    expect(await terminal.lines()).toEqual([line("history", 60), line("top", columns), "middle", ">"]);
  }
});

/** The beginning of a line, at most `columns` cells. */
function cut(line: string, columns: number): string {
  let text = "";
  for (const char of line) {
    if (visibleWidth(text + char) > columns) break;
    text += char;
  }
  return text;
}

test("any frames and changes of the size: every printed line exactly once and in order, and the region below", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "字", " "), maxLength: 30 });
  const frame = fc.record({
    printed: fc.array(text, { maxLength: 4 }),
    live: fc.array(text, { maxLength: 4 }),
    isMarked: fc.boolean(),
  });
  const size = fc.record({ columns: fc.integer({ min: 8, max: 70 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof({ weight: 4, arbitrary: frame }, size), { maxLength: 25 }), async (steps) => {
      const { terminal, screen } = open({ columns: 40, rows: 30 });
      const printed: string[] = [];
      let live: string[] = [];
      let region: string[] = [];
      for (const step of steps) {
        if ("columns" in step) await terminal.resize(step.columns, 30);
        const fit = (line: string) => cut(line, terminal.columns);
        const lines = "printed" in step ? step.printed.map((each, index) => fit(`${printed.length + index}:${each}|`)) : [];
        printed.push(...lines);
        if ("live" in step) live = step.live;
        // As in use: the region is rendered for the width of the moment.
        region = live.map((each) => fit(`~${each}|`));
        screen.draw(lines, "isMarked" in step && step.isMarked ? [...region, CURSOR_MARKER] : region);
      }
      const shown = (await terminal.lines()).filter((line) => line !== "");
      const expected = [...printed, ...region].map((line) => line.trimEnd());
      terminal.dispose();
      expect(shown.map((line) => line.trimEnd())).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
