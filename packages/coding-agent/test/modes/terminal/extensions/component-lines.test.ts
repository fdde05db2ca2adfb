import { expect, test } from "vitest";
import { renderComponent } from "../../../../src/modes/terminal/extensions/component-lines.ts";
import { CURSOR_MARKER } from "../../../../src/modes/terminal/library.ts";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";

const plain = createTheme({ colors: 0, isLight: false });
const colored = createTheme({ colors: 256, isLight: false });
const render = (lines: string[], width = 10, theme = colored) => renderComponent({ render: () => lines }, width, theme);

test("lines are cut to the width, and have no line breaks, tabs and control characters", () => {
  expect(render(["0123456789abc", "a\nb\rc", "a\tb", "\x07bell\x00", "日本語日本語日本語"], 10, plain)).toEqual([
    ...["0123456789", "abc", "a    b", "bell", "日本語日本"],
  ]);
});

test("styles and links stay and end with their line; other sequences are removed", () => {
  const link = "\x1b]8;;https://example.org\x1b\\site\x1b]8;;\x1b\\";
  expect(render(["\x1b[31mred", link, "\x1b[2Ja\x1b]0;title\x07b\x1b[1;1Hc", "x\x1b_Gimage\x1b\\y", "\x1bcz"])).toEqual([
    ...["\x1b[31mred\x1b[39m", link, "abc", "xy", "z"],
  ]);
  expect(render(["\x1b[31mred\x1b[0m"], 10, plain)).toEqual(["red"]);
});

test("the mark of the cursor stays, and the cursor that a component draws itself goes", () => {
  expect(render([`ab${CURSOR_MARKER}\x1b[7mc\x1b[0md`])).toEqual([`ab${CURSOR_MARKER}cd`]);
});

test("a component that returns no list is an error that says so", () => {
  expect(() => renderComponent({ render: () => "text" as never }, 10, plain)).toThrow(
    "render() must return a list of lines, but returned string.",
  );
});
