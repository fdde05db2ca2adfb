import { suggest } from "../../../suggest.ts";
import { type Keybinding, KeybindingsManager, type KeyId, matchesKey, setKeybindings, TUI_KEYBINDINGS } from "../library.ts";
import { type ActionGroup, type ActionName, actionNames, exclude, groupOf, type KeyAction, keyActions } from "./key-actions.ts";
import { readKeyName, showKey } from "./key-names.ts";

/** The setting `keys`: keys by the name of their action. An empty list leaves an action without a key. */
export type KeySettings = Readonly<Record<string, string | readonly string[]>>;

/** An action and its keys, for `/hotkeys`. */
export interface ListedKeys {
  action: ActionName;
  group: ActionGroup;
  /** Written for people, such as `Ctrl-C`. Empty if the action has no key. */
  keys: string[];
  description: string;
}

/** Maximum number of problems that are reported. */
const maxProblems = 10;

type KeysByAction = Record<ActionName, readonly KeyId[]>;

/** The keys in use. */
export class KeyBindings {
  #keys: KeysByAction;

  constructor(keys: KeysByAction) {
    this.#keys = keys;
  }

  /** Whether a key, as the terminal sent it, starts an action. */
  matches(key: string, action: ActionName): boolean {
    return this.#keys[action].some((id) => matchesKey(key, id));
  }

  /** The action of the session that a key starts, such as `abort`; undefined for keys of the editor. */
  sessionActionOf(key: string): ActionName | undefined {
    return actionNames.find((action) => groupOf(action) === "session" && this.matches(key, action));
  }

  /** The names of the keys of an action, such as `ctrl+c`. */
  names(action: ActionName): string[] {
    return [...this.#keys[action]];
  }

  /** The first key of an action, written for people, such as `Ctrl-C`; undefined if it has none. */
  show(action: ActionName): string | undefined {
    const [first] = this.#keys[action];
    return first && showKey(first);
  }

  /** All actions and their keys. */
  list(): ListedKeys[] {
    return actionNames.map((action) => ({
      action,
      group: groupOf(action),
      keys: this.#keys[action].map(showKey),
      description: keyActions[action].description,
    }));
  }

  /** Takes the keys of another one, and installs them. */
  replaceBy(other: KeyBindings): void {
    this.#keys = other.#keys;
    this.install();
  }

  /** Makes these the keys of the library's editor and lists. There is one set for the whole process. */
  install(): void {
    setKeybindings(new LibraryKeys(this.#keys));
  }
}

/**
 * Reads the setting `keys`.
 *
 * @returns The keys to use, and a line for each problem. A key from the settings replaces the same default key of another action.
 */
export function readKeys(settings: KeySettings = {}): { bindings: KeyBindings; problems: string[] } {
  const problems: string[] = [];
  const chosen = new Map<ActionName, readonly KeyId[]>();
  for (const [name, value] of Object.entries(settings)) {
    const action = actionNames.find((known) => known === name);
    if (action) chosen.set(action, readKeyNames(action, value, problems));
    else problems.push(`"keys" in the settings: "${name}" is not an action.${suggest(name, actionNames)} /hotkeys lists all.`);
  }
  const bindings = new KeyBindings(resolve(chosen, problems));
  const hidden = problems.length - maxProblems;
  return {
    bindings,
    problems: hidden > 0 ? [...problems.slice(0, maxProblems), `${hidden} more problems with "keys" in the settings.`] : problems,
  };
}

/** Returns the valid keys; the default keys if there is none among several names. */
function readKeyNames(action: ActionName, value: string | readonly string[], problems: string[]): readonly KeyId[] {
  const names = typeof value === "string" ? [value] : value;
  const keys = new Set<KeyId>();
  for (const name of names) {
    const result = readKeyName(name);
    if ("key" in result) keys.add(result.key);
    else problems.push(`"keys" in the settings: "${name}" for "${action}" ${result.problem}`);
  }
  return keys.size > 0 || names.length === 0 ? [...keys] : keyActions[action].keys;
}

/** Gives each key to one action, first to those of the settings. */
function resolve(chosen: ReadonlyMap<ActionName, readonly KeyId[]>, problems: string[]): KeysByAction {
  const resolved: Partial<Record<ActionName, readonly KeyId[]>> = {};
  const given: { key: KeyId; action: ActionName }[] = [];
  const take = (action: ActionName, keys: readonly KeyId[]) => {
    const own = keys.filter((key) => {
      const taken = given.find((other) => other.key === key && exclude(action, other.action));
      if (taken) problems.push(describeConflict(key, taken.action, action));
      return taken === undefined;
    });
    given.push(...own.map((key) => ({ key, action })));
    resolved[action] = own;
  };
  for (const [action, keys] of chosen) take(action, keys);
  for (const action of actionNames) if (!chosen.has(action)) take(action, keyActions[action].keys);
  return resolved as KeysByAction;
}

function describeConflict(key: KeyId, user: ActionName, loser: ActionName): string {
  return `"keys" in the settings: ${key} is used for "${user}", so "${loser}" does not have it. Set "${loser}" to other keys, or to [].`;
}

/** A key that starts an action of the library's editor, whatever keys the action has. No terminal sends it. */
export function commandKey(action: Keybinding): string {
  return `\0${action}`;
}

/** The keys as the library wants them. */
class LibraryKeys extends KeybindingsManager {
  constructor(keys: KeysByAction) {
    const own = actionNames.flatMap((action) => {
      const { library }: KeyAction = keyActions[action];
      return library === undefined ? [] : [[library, [...keys[action]]] as const];
    });
    super(TUI_KEYBINDINGS, { ...Object.fromEntries(own), "tui.input.copy": [] });
  }

  override matches(data: string, keybinding: Keybinding): boolean {
    return data === commandKey(keybinding) || super.matches(data, keybinding);
  }
}
