import { sessionActions } from "../extensions/key-names.ts";
import { type ActionName, actionNames, type KeyAction, keyActions } from "./key-actions.ts";
import type { KeySettings } from "./keys.ts";

/** The names of actions in older files of related programs. Their other names are ours. */
const olderNames: Readonly<Record<string, ActionName>> = {
  interrupt: "abort",
  cycleThinkingLevel: "cycleThinking",
  cycleModelForward: "cycleModel",
  expandTools: "toggleToolOutput",
  dequeue: "editQueue",
  tab: "complete",
};

/**
 * Reads the content of `keybindings.json` of related programs: keys by names such as `tui.input.submit` and `app.interrupt`. Actions that the
 * terminal does not have are left out.
 */
export function readKeybindings(content: Readonly<Record<string, unknown>>): KeySettings {
  const keys: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(content)) {
    const action = actionOf(name);
    if (action !== undefined && isKeys(value)) keys[action] = value;
  }
  return keys;
}

function actionOf(name: string): ActionName | undefined {
  if (Object.hasOwn(sessionActions, name)) return sessionActions[name];
  if (Object.hasOwn(olderNames, name)) return olderNames[name];
  return actionNames.find((action) => action === name || (keyActions[action] as KeyAction).library === name);
}

function isKeys(value: unknown): value is string | string[] {
  return typeof value === "string" || (Array.isArray(value) && value.every((key) => typeof key === "string"));
}
