import { expect, test } from "vitest";
import { Overlay } from "../../../../src/modes/terminal/extensions/overlay.ts";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";
import type { OverlayOptions } from "../../../../src/terminal-interface.ts";

function open(options: OverlayOptions, { lines = 1 }: { lines?: number } = {}) {
  const size = { columns: 40, rows: 20 };
  const keys: string[] = [];
  let hidden = 0;
  const component = {
    render: (width: number) => Array.from({ length: lines }, () => "x".repeat(width)),
    handleInput: (key: string) => void keys.push(key),
  };
  const overlay = new Overlay(component, {
    ...{ theme: createTheme({ colors: 0, isLight: false }), size, options: () => options, refresh() {} },
    onHide: () => {
      hidden += 1;
    },
  });
  const [line = ""] = overlay.render(size.columns, size.rows);
  return { overlay, size, keys, left: line.length - line.trimStart().length, width: line.trim().length, hidden: () => hidden };
}

test.each<[string, OverlayOptions, left: number, width: number]>([
  ["the usual width is that of the terminal at most", {}, 0, 40],
  ["in the middle", { width: 20 }, 10, 20],
  ["a share of the terminal", { width: "25%" }, 15, 10],
  ["a least width", { width: "5%", minWidth: 8 }, 16, 8],
  ["left", { width: 20, anchor: "top-left" }, 0, 20],
  ["right, with a margin", { width: 20, anchor: "right-center", margin: 3 }, 17, 20],
  ["an offset", { width: 20, anchor: "bottom-left", offsetX: 4 }, 4, 20],
  ["a column", { width: 20, col: 5 }, 5, 20],
  ["a column as a share", { width: 20, col: "50%" }, 10, 20],
  ["an offset that would leave the terminal", { width: 20, offsetX: 100 }, 20, 20],
])("%s", (_what, options, left, width) => {
  const shown = open(options);
  expect([shown.left, shown.width]).toEqual([left, width]);
});

test("the height is limited", () => {
  expect(open({ maxHeight: 3 }, { lines: 9 }).overlay.render(40, 20)).toHaveLength(3);
  expect(open({ maxHeight: "50%" }, { lines: 30 }).overlay.render(40, 20)).toHaveLength(10);
});

test("it is in place of the editor while it has the keys, above it otherwise, and nowhere while it is hidden", () => {
  const { overlay, keys, hidden } = open({});
  const { handle } = overlay;
  expect([overlay.isHidden, overlay.isBeside, handle.isFocused()]).toEqual([false, false, true]);
  handle.unfocus();
  expect([overlay.isHidden, overlay.isBeside, handle.isFocused()]).toEqual([true, true, false]);
  handle.setHidden(true);
  expect([overlay.isHidden, overlay.isBeside, handle.isHidden()]).toEqual([true, false, true]);
  handle.setHidden(false);
  handle.focus();
  overlay.handleKey("a");
  expect([overlay.isHidden, keys]).toEqual([false, ["a"]]);
  handle.hide();
  expect(hidden()).toBe(1);
});

test("one that does not take keys is above the editor; one may be shown in large terminals only", () => {
  const { overlay } = open({ nonCapturing: true });
  expect([overlay.isHidden, overlay.isBeside]).toEqual([true, true]);
  const { overlay: other, size } = open({ visible: (columns) => columns >= 60 });
  expect([other.isHidden, other.isBeside]).toEqual([true, false]);
  size.columns = 60;
  expect(other.isHidden).toBe(false);
});
