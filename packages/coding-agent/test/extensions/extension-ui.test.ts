import { expect, test } from "vitest";
import { createExtensionUi } from "../../src/extensions/extension-ui.ts";
import { HandlerClock } from "../../src/extensions/handler-clock.ts";
import type { DialogOptions, UserInterface } from "../../src/user-interface.ts";
import { absentUser } from "../../src/user-interface.ts";

function open(user: Partial<UserInterface> = {}) {
  const calls: unknown[][] = [];
  const record =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const recorded = { setEditorText: record("setEditorText"), setWidget: record("setWidget") };
  return { calls, ui: createExtensionUi({ ...absentUser, ...recorded, ...user }, new HandlerClock(1000)) };
}

test("without a terminal, what only a terminal can do has no effect", async () => {
  const { ui, calls } = open();
  const draw = () => ({ render: () => ["x"] });
  expect(await ui.custom(() => draw())).toBeUndefined();
  ui.onTerminalInput(() => undefined)();
  for (const act of [ui.setFooter, ui.setHeader, ui.setEditorComponent]) act(undefined);
  ui.setWorkingMessage("Thinking hard");
  ui.setWidget("w", draw);
  expect([ui.getEditorText(), ui.getEditorComponent(), ui.getAllThemes(), ui.getTheme("dark"), ui.getToolsExpanded()]).toEqual([
    ...["", undefined, [], undefined, false],
  ]);
  expect(ui.setTheme("dark")).toEqual({ success: false, error: expect.stringContaining("no terminal") });
  expect(ui.theme.fg("accent", "plain")).toBe("plain");
  ui.pasteToEditor("text");
  expect(calls).toEqual([["setEditorText", "text"]]);
});

test("lines of a widget have a place; `timeout` limits a dialog like `timeoutMs`", async () => {
  let seen: DialogOptions | undefined;
  const { ui, calls } = open({
    confirm: async (_question, options) => {
      seen = options;
      return true;
    },
  });
  ui.setWidget("a", ["1"], { placement: "belowEditor" });
  ui.setWidget("b", ["2"], "belowEditor");
  ui.setWidget("c", undefined);
  expect(calls.map(([, ...args]) => args)).toEqual([
    ["a", ["1"], "belowEditor"],
    ["b", ["2"], "belowEditor"],
    ["c", undefined, undefined],
  ]);
  await ui.confirm("Sure?", "", { timeout: 5000 }); // no race: the dialog is answered at once
  expect(seen?.timeoutMs).toBe(5000);
});
