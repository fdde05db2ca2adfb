import { describe, expect, test } from "vitest";
import { checkOverrides } from "../../../../src/modes/terminal/theme/check-overrides.ts";
import { createTheme, type ThemeOverrides } from "../../../../src/modes/terminal/theme/create-theme.ts";
import { colorNames } from "../../../../src/modes/terminal/theme/palette.ts";

const styleNames = [...colorNames, "bold", "italic", "underline", "strikethrough"] as const;
const depths = [16, 256, 2 ** 24];

describe("a theme", () => {
  test("without colours returns each text unchanged", () => {
    const theme = createTheme({ colors: 0, isLight: false, overrides: { accent: "red" } });
    expect(styleNames.map((name) => theme[name]("a\nb"))).toEqual(styleNames.map(() => "a\nb"));
  });

  test.each(depths.flatMap((colors) => [false, true].map((isLight) => [colors, isLight] as const)))(
    "with %d colours, light: %j, has all styles, and each ends with its own code",
    (colors, isLight) => {
      const theme = createTheme({ colors, isLight });
      const start = colors === 16 ? "(?:3[0-7]|9[0-7])" : colors === 256 ? "38;5;\\d{1,3}" : "38;2;\\d{1,3};\\d{1,3};\\d{1,3}";
      for (const name of colorNames) expect(theme[name]("x")).toMatch(new RegExp(`^\\x1b\\[${start}mx\\x1b\\[39m$`));
      expect(theme.bold("x")).toBe("\x1b[1mx\x1b[22m");
      expect(theme.italic("x")).toBe("\x1b[3mx\x1b[23m");
      expect(theme.underline("x")).toBe("\x1b[4mx\x1b[24m");
      expect(theme.strikethrough("x")).toBe("\x1b[9mx\x1b[29m");
      expect({ colors: theme.colors, isLight: theme.isLight }).toEqual({ colors, isLight });
    },
  );

  test("a style continues after a style inside it", () => {
    const { error, accent, bold } = createTheme({ colors: 16, isLight: false });
    expect(error(`a${accent("b")}c`)).toBe("\x1b[31ma\x1b[36mb\x1b[39m\x1b[31mc\x1b[39m");
    expect(error(`a${bold("b")}c`)).toBe("\x1b[31ma\x1b[1mb\x1b[22mc\x1b[39m");
  });

  test("a style ends before a line break and begins again after it; empty lines have no codes", () => {
    const { error } = createTheme({ colors: 16, isLight: false });
    expect(error("a\n\nb")).toBe("\x1b[31ma\x1b[39m\n\n\x1b[31mb\x1b[39m");
    expect(error("")).toBe("");
  });
});

describe("the user's colours", () => {
  test.each<[color: unknown, of16: string, of256: string, all: string]>([
    ["#ff8800", "33", "38;5;208", "38;2;255;136;0"],
    ["#F80", "33", "38;5;208", "38;2;255;136;0"],
    ["red", "31", "31", "31"],
    ["bright-red", "91", "91", "91"],
    ["brightRed", "91", "91", "91"],
    ["gray", "90", "90", "90"],
    [9, "91", "91", "91"],
    ["9", "91", "91", "91"],
    [196, "91", "38;5;196", "38;5;196"],
    [244, "90", "38;5;244", "38;5;244"],
  ])("%j", (color, ...codes) => {
    const shown = depths.map((colors) => createTheme({ colors, isLight: false, overrides: { tool: color } }).tool("x"));
    expect(shown).toEqual(codes.map((code) => `\x1b[${code}mx\x1b[39m`));
  });

  test("unknown names and colours are reported in one line each, and the others are used", () => {
    const overrides: ThemeOverrides = { acent: "red", zebra: 1, tool: "reddish", error: 256, code: [1], link: "green" };
    expect(checkOverrides(overrides)).toEqual([
      'There is no style "acent". Did you mean "accent"?',
      `There is no style "zebra". Expected one of ${colorNames.join(", ")}.`,
      'The style "tool" has the colour "reddish". Expected #rrggbb, a number from 0 to 255, or a name such as red or bright-red.',
      'The style "error" has the colour 256. Expected #rrggbb, a number from 0 to 255, or a name such as red or bright-red.',
      'The style "code" has the colour [1]. Expected #rrggbb, a number from 0 to 255, or a name such as red or bright-red.',
    ]);
    const theme = createTheme({ colors: 16, isLight: false, overrides });
    expect([theme.tool("x"), theme.link("x")]).toEqual(["\x1b[35mx\x1b[39m", "\x1b[32mx\x1b[39m"]);
  });

  test("a key of every object is no style", () => {
    expect(checkOverrides(JSON.parse('{"__proto__": 1, "constructor": "red"}'))).toHaveLength(2);
  });
});
