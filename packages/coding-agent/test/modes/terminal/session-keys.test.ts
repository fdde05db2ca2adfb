import { expect, test } from "vitest";
import { createActions } from "../../../src/modes/terminal/session-actions.ts";
import { SessionKeys } from "../../../src/modes/terminal/session-keys.ts";
import type { ShellRuns } from "../../../src/modes/terminal/shell-runs.ts";
import type { ConversationView } from "../../../src/modes/terminal/view/conversation-view.ts";
import { FakeStage } from "../../helpers/fake-stage.ts";

test("keys before the session is open do nothing to it: Escape, and Ctrl-C, which asks for a second one", () => {
  const stage = new FakeStage();
  const unused = () => undefined;
  const actions = createActions({
    stage,
    editor: { text: "", expandedText: "", clear: unused } as never,
    view: {} as ConversationView,
    shellRuns: { isActive: false } as ShellRuns,
    ...{ editorCommand: unused, carryOut: unused, suspend: unused, redraw: unused },
  });
  const keys = new SessionKeys(actions);
  keys.press("abort");
  keys.press("clear");
  expect(stage.notes).toEqual(["Press the same key again to exit."]);
  keys.press("clear");
  expect(stage.hasQuit).toBe(true);
});
