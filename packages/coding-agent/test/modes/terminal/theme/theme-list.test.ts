import { expect, test } from "vitest";
import { TerminalTheme } from "../../../../src/modes/terminal/theme/terminal-theme.ts";
import { ThemeList } from "../../../../src/modes/terminal/theme/theme-list.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
const env = { TERM: "xterm-256color", COLORTERM: "truecolor" };
const orange = "\x1b[38;2;255;128;0m";

/** A theme file whose accent is a variable that names another one. */
const themeFile = (name: string) => ({
  name,
  vars: { primary: "strong", strong: "#ff8000" },
  colors: { accent: "primary", toolTitle: "", dim: 240, selectedBg: "#101010" },
});

async function open(...files: [path: string, content: object | string][]) {
  for (const [path, content] of files) await workspace.write(path, content);
  const theme = new TerminalTheme({}, env);
  return { theme, list: new ThemeList(theme, [`${workspace.root}/themes`]) };
}

test("a theme of a file has its colours, in ours and in that of extensions; what it does not have is that of the built-in one", async () => {
  const { theme, list } = await open(["themes/sun.json", themeFile("sun")]);
  expect(list.list()).toEqual([
    { name: "dark", path: undefined },
    { name: "light", path: undefined },
    { name: "sun", path: `${workspace.root}/themes/sun.json` },
  ]);
  const usual = theme.theme.success("x");
  expect(list.choose("sun")).toBeUndefined();
  expect(theme.theme.accent("x")).toBe(`${orange}x\x1b[39m`);
  expect(theme.theme.tool("x")).toBe("x");
  expect(theme.theme.success("x")).toBe(usual);
  expect([theme.ui.fg("accent", "x"), theme.ui.bg("selectedBg", "x"), theme.ui.name]).toEqual([
    ...[`${orange}x\x1b[39m`, "\x1b[48;2;16;16;16mx\x1b[49m", "sun"],
  ]);
  expect(theme.ui.fg("success", "x")).toBe(usual);
  // Methods can be taken out of the theme, which is always that of the moment.
  const { fg } = theme.ui;
  expect(list.find("dark")?.fg("accent", "x")).not.toContain(orange);
  expect(fg("accent", "x")).toContain(orange);
});

test("of two names, the first is for a light background and the second for a dark one", async () => {
  const { theme, list } = await open(["themes/sun.json", themeFile("sun")]);
  list.choose("light/sun");
  expect(theme.theme.accent("x")).toContain(orange);
  list.choose("sun/dark");
  expect(theme.theme.accent("x")).not.toContain(orange);
  list.choose("light");
  expect(theme.theme.isLight).toBe(true);
});

test("a name without a theme is reported with the nearest, and used when its file comes", async () => {
  const { theme, list } = await open(["more/moon.json", themeFile("moon")], ["themes/moan.json", themeFile("moan")]);
  expect(list.choose("moon")).toBe('There is no theme "moon". Did you mean "moan"?');
  expect(list.problems).toEqual(['There is no theme "moon". Did you mean "moan"?']);
  expect(list.add([`${workspace.root}/more/moon.json`])).toBe(true);
  expect(list.problems).toEqual([]);
  expect(theme.theme.accent("x")).toContain(orange);
});

test.each<[string, object | string, RegExp]>([
  ["no name", { colors: {} }, /Expected a "name" without "\/", but it is missing/],
  ["no colours", { name: "a" }, /Expected "colors", an object, but it is missing/],
  ["an unknown variable", { name: "a", colors: { accent: "nothing" } }, /"accent" names the variable "nothing"/],
  ["a circle", { name: "a", vars: { x: "y", y: "x" }, colors: { accent: "x" } }, /in a circle/],
  ["a wrong type", { name: "a", colors: { accent: [] } }, /"accent" is \[\]/],
  ["no JSON", "{", /not valid JSON/],
])("a file with %s is reported, and the others are used", async (_what, content, problem) => {
  const { list } = await open(["themes/a.json", content], ["themes/sun.json", themeFile("sun")]);
  expect(list.list().map(({ name }) => name)).toEqual(["dark", "light", "sun"]);
  expect(list.problems).toEqual([expect.stringMatching(problem)]);
  expect(list.problems[0]).toContain(`${workspace.root}/themes/a.json`);
});
