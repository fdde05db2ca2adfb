import { expect, test } from "vitest";
import { colorsOf } from "../../../../src/modes/terminal/theme/color-support.ts";

const all = 2 ** 24;

test.each<[env: Record<string, string>, colors: number]>([
  [{ TERM: "xterm" }, 16],
  [{ TERM: "xterm-256color" }, 256],
  [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, all],
  [{ TERM: "xterm", COLORTERM: "24bit" }, all],
  [{ TERM: "xterm", COLORTERM: "yes" }, 16],
  [{ TERM: "dumb", COLORTERM: "truecolor" }, 0],
  [{ TERM: "xterm-kitty" }, all],
  [{ TERM: "xterm-ghostty" }, all],
  [{ TERM: "alacritty" }, all],
  [{ TERM: "xterm-direct" }, all],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "Apple_Terminal" }, 256],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, all],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "vscode" }, all],
  [{ TERM: "screen" }, 256],
  [{ TERM: "screen-256color", COLORTERM: "truecolor" }, 256],
  [{ TERM: "tmux-256color", TMUX: "/tmp/tmux,1,0" }, 256],
  [{ TERM: "screen-256color", TMUX: "/tmp/tmux,1,0", COLORTERM: "truecolor" }, all],
  [{ TERM: "linux" }, 16],
  [{}, 16],
])("a terminal with %j has %d colours", (env, colors) => {
  expect(colorsOf(env, true, "linux")).toBe(colors);
});

test("a console of Windows has all colours", () => {
  expect(colorsOf({}, true, "win32")).toBe(all);
  expect(colorsOf({ WT_SESSION: "1" }, true, "win32")).toBe(all);
});

test("an output that is not a terminal has no colours", () => {
  expect(colorsOf({ TERM: "xterm-256color", COLORTERM: "truecolor" }, false, "linux")).toBe(0);
});

test.each<[env: Record<string, string>, isTTY: boolean, colors: number]>([
  [{ NO_COLOR: "1", TERM: "xterm-256color" }, true, 0],
  [{ NO_COLOR: "", TERM: "xterm-256color" }, true, 256],
  [{ NO_COLOR: "1", FORCE_COLOR: "3" }, true, 0],
  [{ FORCE_COLOR: "", TERM: "xterm" }, false, 0],
  [{ FORCE_COLOR: "0", TERM: "xterm-256color" }, true, 0],
  [{ FORCE_COLOR: "false", TERM: "xterm-256color" }, true, 0],
  [{ FORCE_COLOR: "1", TERM: "xterm-256color" }, false, 16],
  [{ FORCE_COLOR: "2" }, false, 256],
  [{ FORCE_COLOR: "3", TERM: "dumb" }, false, all],
  [{ FORCE_COLOR: "true", TERM: "dumb" }, false, 16],
  [{ FORCE_COLOR: "yes", TERM: "xterm-256color" }, false, 256],
])("the user's choice %j, on a terminal: %j, gives %d colours", (env, isTTY, colors) => {
  expect(colorsOf(env, isTTY, "linux")).toBe(colors);
});
