import { expect, test } from "vitest";
import { readKeybindings } from "../../../../src/modes/terminal/input/keybindings-file.ts";
import { readKeys } from "../../../../src/modes/terminal/input/keys.ts";

test("keys of related programs are those of the same actions; actions that are not here are left out", () => {
  const keys = readKeybindings({
    "tui.editor.cursorUp": ["up", "ctrl+p"],
    "app.interrupt": "ctrl+q",
    "app.tools.expand": [],
    "app.session.togglePath": "ctrl+p",
    // Names of older versions.
    cycleModelForward: "alt+m",
    selectConfirm: ["enter", "space"],
    toString: "ctrl+x",
    "app.clear": 7,
  });
  expect(keys).toEqual({
    ...{
      cursorUp: ["up", "ctrl+p"],
      abort: "ctrl+q",
      toggleToolOutput: [],
      cycleModel: "alt+m",
      selectConfirm: ["enter", "space"],
    },
  });
  const { bindings } = readKeys(keys);
  expect([bindings.matches("\x11", "abort"), bindings.matches("\x1b", "abort"), bindings.names("toggleToolOutput")]).toEqual([
    true,
    false,
    [],
  ]);
});
