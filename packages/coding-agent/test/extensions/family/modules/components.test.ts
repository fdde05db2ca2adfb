import { stripVTControlCharacters } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { components } from "../../../../src/extensions/family/modules/components.ts";
import { themeFunctions } from "../../../../src/extensions/family/modules/theme-functions.ts";
import type { EditorComponent, EditorFactory, UiComponent } from "../../../../src/terminal-interface.ts";
import { plainTheme, setCurrentTheme, UiTheme } from "../../../../src/theme/ui-theme.ts";

const red = new UiTheme({ border: "#ff0000", toolDiffAdded: 2, mdHeading: "#0000ff" }, {}, "truecolor");
afterEach(() => setCurrentTheme(plainTheme));

/** A screen that draws nothing. */
const screen = { requestRender: () => undefined, terminal: { columns: 40, rows: 20, write: () => undefined } };
/** Keys by the names of their actions. */
const keybindings = {
  matches: (data: string, action: string) =>
    ({ "\u001b": "app.interrupt", "\u0004": "app.exit", "\u000f": "app.tools.expand" })[data] === action,
  getKeys: () => [],
};

type Constructor<T> = new (...args: unknown[]) => T;
const create = <T>(name: string, ...args: unknown[]): T => new (components[name] as Constructor<T>)(...args);
const linesOf = (component: UiComponent, width = 20) =>
  component.render(width).map((line) => stripVTControlCharacters(line).trimEnd());

test("a border has the colour of the theme of the moment, or its own", () => {
  const border = create<UiComponent>("DynamicBorder");
  expect(border.render(3)).toEqual(["───"]);
  setCurrentTheme(red);
  expect(border.render(3)).toEqual(["\u001b[38;2;255;0;0m───\u001b[39m"]);
  expect(create<UiComponent>("DynamicBorder", (text: string) => `<${text}>`).render(2)).toEqual(["<──>"]);
});

describe("a loader between borders", () => {
  test("can be cancelled with the key for that", () => {
    const loader = create<UiComponent & { signal: AbortSignal; onAbort?: () => void }>(
      "BorderedLoader",
      screen,
      plainTheme,
      "Thinking",
    );
    const lines = linesOf(loader);
    expect([lines.at(0), lines.at(-1)]).toEqual(["─".repeat(20), "─".repeat(20)]);
    expect(lines.join("\n")).toContain("Thinking");
    expect(lines.join("\n")).toMatch(/escape\S*\s+cancel/);
    let isTold = false;
    loader.onAbort = () => {
      isTold = true;
    };
    loader.handleInput?.("\u001b");
    expect([loader.signal.aborted, isTold]).toEqual([true, true]);
    loader.dispose?.();
  });

  test("or not, if it is so made", () => {
    const loader = create<UiComponent & { signal: AbortSignal }>("BorderedLoader", screen, plainTheme, "Wait", {
      cancellable: false,
    });
    loader.handleInput?.("\u001b");
    expect(loader.signal.aborted).toBe(false);
    expect(linesOf(loader).join("\n")).not.toContain("cancel");
    loader.dispose?.();
  });
});

test("an editor to extend gives the keys of the session to its handlers, and takes the others as text", () => {
  const pressed: string[] = [];
  const style = (text: string) => text;
  const theme = { borderColor: style, selectList: {} } as unknown as Parameters<EditorFactory>[1];
  const editor = create<EditorComponent & { onAction(action: string, handler: () => void): void }>(
    "CustomEditor",
    screen,
    theme,
    keybindings,
  );
  editor.onAction("app.tools.expand", () => pressed.push("expand"));
  editor.onEscape = () => pressed.push("escape");
  editor.onCtrlD = () => pressed.push("exit");
  for (const key of ["\u000f", "\u001b", "\u0004", "a", "b"]) editor.handleInput(key);
  expect([editor.getText(), pressed]).toEqual(["ab", ["expand", "escape", "exit"]]);
  editor.onExtensionShortcut = (key) => key === "c";
  for (const key of ["\u0004", "c", "d"]) editor.handleInput(key);
  expect([editor.getText(), pressed.length]).toEqual(["abd", 3]);
});

test("hints about keys, and the last lines as a terminal shows them", () => {
  const { keyText, keyHint, rawKeyHint, truncateToVisualLines } = components as Record<string, (...args: unknown[]) => unknown>;
  expect([keyText?.("tui.select.cancel"), keyHint?.("tui.select.confirm", "chooses"), rawKeyHint?.("x", "marks")]).toEqual([
    ...["escape/ctrl+c", "enter chooses", "x marks"],
  ]);
  expect(truncateToVisualLines?.("one two\nthree", 2, 5)).toMatchObject({ skippedCount: 1 });
  expect(truncateToVisualLines?.("", 2, 5)).toEqual({ visualLines: [], skippedCount: 0 });
});

test("styles of Markdown, of diffs, and names of languages", () => {
  const { getMarkdownTheme, renderDiff, getLanguageFromPath, highlightCode } = themeFunctions as Record<
    string,
    (...args: never[]) => unknown
  >;
  const heading = (text: string) => (getMarkdownTheme?.() as { heading(text: string): string } | undefined)?.heading(text);
  expect(heading("H")).toBe("H");
  setCurrentTheme(red);
  expect(heading("H")).toBe("\u001b[38;2;0;0;255mH\u001b[39m");
  expect(renderDiff?.("+new\n old" as never)).toBe("\u001b[32m+new\u001b[39m\n old");
  const languages = ["a.mts", "b.PY", "c.go", "d.unknown", "e"].map((path) => getLanguageFromPath?.(path as never));
  expect(languages).toEqual(["typescript", "python", "go", undefined, undefined]);
  expect(highlightCode?.("a\nb" as never)).toEqual(["a", "b"]);
});
