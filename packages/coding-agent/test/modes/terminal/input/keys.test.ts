import { describe, expect, test } from "vitest";
import { type ActionName, actionNames, exclude, groupOf } from "../../../../src/modes/terminal/input/key-actions.ts";
import { type KeySettings, readKeys } from "../../../../src/modes/terminal/input/keys.ts";

describe("default keys, as terminals send them with and without the Kitty protocol", () => {
  const { bindings } = readKeys();
  test.each<[action: ActionName, keys: string[]]>([
    ["submit", ["\r", "\x1b[13u"]],
    ["followUp", ["\x1b\r", "\x1b[13;3u"]],
    ["newLine", ["\x1b[13;2u", "\x1b[27;2;13~", "\x1b[106;5u"]],
    ["abort", ["\x1b", "\x1b[27u"]],
    ["clear", ["\x03", "\x1b[99;5u"]],
    ["exit", ["\x04", "\x1b[100;5u"]],
    ["suspend", ["\x1a", "\x1b[122;5u"]],
    ["redraw", ["\x0c", "\x1b[108;5u"]],
    ["editQueue", ["\x1b[1;3A"]],
    ["externalEditor", ["\x07", "\x1b[103;5u"]],
    ["pasteImage", ["\x16", "\x1b[118;5u"]],
    ["cycleModel", ["\x10", "\x1b[112;5u"]],
    ["cycleThinking", ["\x1b[Z", "\x1b[9;2u"]],
    ["toggleThinking", ["\x14", "\x1b[116;5u"]],
    ["toggleToolOutput", ["\x0f", "\x1b[111;5u"]],
    ["undo", ["\x1f", "\x1b[45;5u", "\x1b[45;6u", "\x1b[95;5u"]],
    ["cursorWordLeft", ["\x1b[1;5D", "\x1b[1;3D", "\x1bb"]],
    ["deleteWordBackward", ["\x17", "\x1b\x7f"]],
  ])("%s", (action, keys) => {
    expect(keys.filter((key) => !bindings.matches(key, action))).toEqual([]);
    if (groupOf(action) === "session") expect(keys.map((key) => bindings.sessionActionOf(key))).toEqual(keys.map(() => action));
  });

  test("no key has two actions that exclude each other", () => {
    const listed = bindings.list();
    const conflicts = listed.flatMap((one) =>
      listed
        .filter((other) => exclude(one.action, other.action) && one.keys.some((key) => other.keys.includes(key)))
        .map((other) => [one.action, other.action]),
    );
    expect(conflicts).toEqual([]);
    expect(listed.map(({ action }) => action)).toEqual(actionNames);
    expect(readKeys().problems).toEqual([]);
  });

  test("text and pasted text are no actions of the session", () => {
    for (const key of ["a", "é", "漢", " ", "\x1b[200~\x03\x1b[201~"]) expect(bindings.sessionActionOf(key)).toBeUndefined();
  });
});

describe("the setting", () => {
  test.each<[settings: KeySettings, action: ActionName, keys: string[]]>([
    [{ submit: "ctrl+enter", newLine: "enter" }, "submit", ["Ctrl-Enter"]],
    [{ submit: "ctrl+enter", newLine: "enter" }, "newLine", ["Enter"]],
    [{ cycleModel: "Shift+Ctrl+P" }, "cycleModel", ["Ctrl-Shift-P"]],
    [{ pageUp: ["PAGEUP", "Option+V"] }, "pageUp", ["PageUp", "Alt-V"]],
    [{ abort: "esc" }, "abort", ["Escape"]],
    [{ exit: [] }, "exit", []],
    [{ exit: ["ctrl+q", "control+Q"] }, "exit", ["Ctrl-Q"]],
    [{ selectDown: ["down", "ctrl+n"], cycleModel: "ctrl+n" }, "selectDown", ["Down", "Ctrl-N"]],
  ])("%j: %s", (settings, action, keys) => {
    const { bindings, problems } = readKeys(settings);
    expect(problems).toEqual([]);
    expect(bindings.list().find((each) => each.action === action)?.keys).toEqual(keys);
    expect(bindings.show(action)).toBe(keys[0]);
  });

  const inSettings = '"keys" in the settings:';
  test.each<[settings: KeySettings, problems: string[]]>([
    [{ sumbit: "enter" }, [`${inSettings} "sumbit" is not an action. Did you mean "submit"? /hotkeys lists all.`]],
    [{ toString: "enter" }, [`${inSettings} "toString" is not an action. /hotkeys lists all.`]],
    [{ submit: "ctrl-enter" }, [`${inSettings} "ctrl-enter" for "submit" is not the name of a key. Did you mean "ctrl+enter"?`]],
    [{ submit: "ctlr+entr" }, [`${inSettings} "ctlr+entr" for "submit" is not the name of a key. Did you mean "ctrl+enter"?`]],
    [{ submit: "" }, [`${inSettings} "" for "submit" is not the name of a key.`]],
    [{ submit: "ctrl+ctrl+a" }, [`${inSettings} "ctrl+ctrl+a" for "submit" is not the name of a key.`]],
    [
      { undo: ["shift+u", "ctrl+u"] },
      [
        `${inSettings} "shift+u" for "undo" types text, so it cannot have another use. Add a modifier: "ctrl+u".`,
        `${inSettings} ctrl+u is used for "undo", so "deleteToLineStart" does not have it. Set "deleteToLineStart" to other keys, or to [].`,
      ],
    ],
    [
      { abort: ["escape", "ctrl+c"] },
      [`${inSettings} ctrl+c is used for "abort", so "clear" does not have it. Set "clear" to other keys, or to [].`],
    ],
    [{ abort: ["escape", "ctrl+c"], clear: [] }, []],
    [
      { yank: "ctrl+x", undo: "ctrl+x" },
      [`${inSettings} ctrl+x is used for "yank", so "undo" does not have it. Set "undo" to other keys, or to [].`],
    ],
  ])("%j has problems", (settings, problems) => {
    expect(readKeys(settings).problems).toEqual(problems);
  });

  test("a key of the settings replaces the same default key; an invalid name leaves the default keys", () => {
    const { bindings } = readKeys({ abort: ["escape", "ctrl+c"], submit: "entr" });
    expect(bindings.sessionActionOf("\x03")).toBe("abort");
    expect(bindings.show("clear")).toBeUndefined();
    expect(bindings.matches("\r", "submit")).toBe(true);
  });

  test("the problems are limited", () => {
    const settings = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`action${index}`, "a"]));
    const { problems } = readKeys(settings);
    expect(problems).toHaveLength(11);
    expect(problems.at(-1)).toBe('490 more problems with "keys" in the settings.');
  });
});
