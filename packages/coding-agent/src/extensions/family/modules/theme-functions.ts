import { extname } from "node:path";
import type { MarkdownTheme, SelectListTheme, SettingsListTheme } from "@earendil-works/pi-tui";
import { currentTheme, UiTheme } from "../../../theme/ui-theme.ts";

/** A style of the theme of the moment. */
const fg = (color: string) => (text: string) => currentTheme().fg(color, text);

function getMarkdownTheme(): MarkdownTheme {
  return {
    heading: fg("mdHeading"),
    link: fg("mdLink"),
    linkUrl: fg("mdLinkUrl"),
    code: fg("mdCode"),
    codeBlock: fg("mdCodeBlock"),
    codeBlockBorder: fg("mdCodeBlockBorder"),
    quote: fg("mdQuote"),
    quoteBorder: fg("mdQuoteBorder"),
    hr: fg("mdHr"),
    listBullet: fg("mdListBullet"),
    bold: (text) => currentTheme().bold(text),
    italic: (text) => currentTheme().italic(text),
    underline: (text) => currentTheme().underline(text),
    strikethrough: (text) => currentTheme().strikethrough(text),
    highlightCode,
  };
}

function getSelectListTheme(): SelectListTheme {
  return {
    selectedPrefix: fg("accent"),
    selectedText: fg("accent"),
    description: fg("muted"),
    scrollInfo: fg("muted"),
    noMatch: fg("muted"),
  };
}

function getSettingsListTheme(): SettingsListTheme {
  return {
    label: (text, isSelected) => (isSelected ? currentTheme().fg("accent", text) : text),
    value: (text, isSelected) => currentTheme().fg(isSelected ? "accent" : "muted", text),
    description: fg("dim"),
    cursor: currentTheme().fg("accent", "› "),
    hint: fg("dim"),
  };
}

/** The lines of code in the colour of code: there are no colours for the words of a language. */
function highlightCode(code: string): string[] {
  return code.split("\n").map(fg("mdCodeBlock"));
}

/** Endings of files and the names of their languages, where the ending is not the name. */
const languages: Readonly<Record<string, string>> = {
  ...{ ts: "typescript", tsx: "typescript", mts: "typescript", cts: "typescript" },
  ...{ js: "javascript", jsx: "javascript", mjs: "javascript", cjs: "javascript" },
  ...{ py: "python", rb: "ruby", rs: "rust", kt: "kotlin", cs: "csharp", pl: "perl", ps1: "powershell" },
  ...{ sh: "bash", zsh: "bash", yml: "yaml", md: "markdown", htm: "html", h: "c", hpp: "cpp", cc: "cpp", cxx: "cpp", tex: "latex" },
};
const sameNames = new Set(
  "c cpp java go php swift scala lua r sql html css scss less json toml xml yaml bash fish dockerfile makefile graphql zig dart vue svelte".split(
    " ",
  ),
);

function getLanguageFromPath(path: string): string | undefined {
  const ending = extname(path).slice(1).toLowerCase();
  return Object.hasOwn(languages, ending) ? languages[ending] : sameNames.has(ending) ? ending : undefined;
}

/** A unified diff with a colour for each kind of line. */
function renderDiff(diff: string): string {
  const color = (line: string) => {
    if (/^[+-]{3} /.test(line)) return "toolDiffContext";
    return line.startsWith("+") ? "toolDiffAdded" : line.startsWith("-") ? "toolDiffRemoved" : "toolDiffContext";
  };
  return diff
    .split("\n")
    .map((line) => currentTheme().fg(color(line), line))
    .join("\n");
}

/** The functions about colours. */
export const themeFunctions: Record<string, unknown> = {
  ...{ getMarkdownTheme, getSelectListTheme, getSettingsListTheme, highlightCode, getLanguageFromPath, renderDiff },
  Theme: UiTheme,
  // The terminal has its theme before extensions are loaded.
  initTheme: () => undefined,
};
