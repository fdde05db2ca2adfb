import { describe, expect, test } from "vitest";
import { plainTheme, UiTheme } from "../../src/theme/ui-theme.ts";

const foreground = { accent: "#ff8000", dim: 240, text: "", thinkingHigh: "#00ff00" };
const background = { selectedBg: "#303030", userMessageBg: 4 };

describe("a theme for extensions", () => {
  test("fg and bg begin a colour and end it; styles in a text continue after others in it", () => {
    const theme = new UiTheme(foreground, background, "truecolor");
    expect(theme.fg("accent", "a")).toBe("\x1b[38;2;255;128;0ma\x1b[39m");
    expect(theme.bg("selectedBg", "a")).toBe("\x1b[48;2;48;48;48ma\x1b[49m");
    expect(theme.bg("userMessageBg", "a")).toBe("\x1b[44ma\x1b[49m");
    expect(theme.bold(`x${theme.bold("y")}z`)).toBe("\x1b[1mx\x1b[1my\x1b[22m\x1b[1mz\x1b[22m");
    expect(theme.fg("accent", `x${theme.fg("dim", "y")}z`)).toBe(
      "\x1b[38;2;255;128;0mx\x1b[38;5;240my\x1b[39m\x1b[38;2;255;128;0mz\x1b[39m",
    );
  });

  test("a colour of the terminal, and a name that nobody knows, leave the text as it is", () => {
    const theme = new UiTheme(foreground, background, "truecolor");
    for (const name of ["text", "nothing", "toString"]) expect(theme.fg(name, "a")).toBe("a");
    expect(theme.getFgAnsi("text")).toBe("\x1b[39m");
  });

  test("terminals with fewer colours get the nearest, and those without get none", () => {
    expect(new UiTheme(foreground, background, "256color").fg("accent", "a")).toBe("\x1b[38;5;208ma\x1b[39m");
    expect(new UiTheme(foreground, background, "16color").bg("selectedBg", "a")).toBe("\x1b[40ma\x1b[49m");
    const none = new UiTheme(foreground, background, "none");
    expect([none.fg("accent", "a"), none.bold("b"), none.getBgAnsi("selectedBg"), plainTheme.inverse("c")]).toEqual([
      "a",
      "b",
      "",
      "c",
    ]);
  });

  test("a thinking level and a shell command have styles of their own", () => {
    const theme = new UiTheme(foreground, background, "truecolor");
    expect(theme.getThinkingBorderColor("high")("─")).toBe("\x1b[38;2;0;255;0m─\x1b[39m");
    expect(theme.getBashModeBorderColor()("─")).toBe("─");
    expect(theme.getColorMode()).toBe("truecolor");
  });
});
