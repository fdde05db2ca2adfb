import type { ContributedShortcut } from "../../../terminal-interface.ts";
import type { ActionName } from "../input/key-actions.ts";
import { readKeyName } from "../input/key-names.ts";
import type { KeyBindings } from "../input/keys.ts";
import { matchesKey } from "../library.ts";

/** The actions whose keys no extension can take, because the user could not stop, send or leave without them. */
const reserved: readonly ActionName[] = ["submit", "abort", "clear", "exit", "suspend"];

/** The shortcut for a key as the terminal sent it. */
export function findShortcut(
  data: string,
  shortcuts: readonly ContributedShortcut[],
  keys: KeyBindings,
): ContributedShortcut | undefined {
  if (shortcuts.length === 0 || reserved.some((action) => keys.matches(data, action))) return undefined;
  return shortcuts.find(({ key }) => {
    const name = readKeyName(key);
    return "key" in name && matchesKey(data, name.key);
  });
}

/** The reason why a shortcut never comes, as a sentence; undefined if it can come. */
export function describeShortcutProblem(key: string, keys: KeyBindings): string | undefined {
  const name = readKeyName(key);
  if ("problem" in name) return `The key "${key}" of an extension ${name.problem}`;
  const taken = reserved.find((action) => keys.names(action).includes(name.key));
  return taken && `The key "${key}" of an extension is that of "${taken}", and keeps this use.`;
}
