import { meantWord } from "../../../suggest.ts";
import type { KeyId } from "../library.ts";

const modifiers = ["ctrl", "shift", "alt", "super"] as const;
const namedKeys: readonly string[] = [
  ...["escape", "enter", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end", "pageUp", "pageDown"],
  ...["up", "down", "left", "right", ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`)],
];
/** `+` is missing, because it joins the parts of a name. */
const characterKeys: readonly string[] = [..."abcdefghijklmnopqrstuvwxyz0123456789`-=[]\\;',./!@#$%^&*()_|~{}:<>?"];
const otherNames: Readonly<Record<string, string>> = {
  esc: "escape",
  return: "enter",
  control: "ctrl",
  option: "alt",
  cmd: "super",
};

/** The keys by their names in lower case. */
const keysByName = new Map([...namedKeys, ...characterKeys].map((key) => [key.toLowerCase(), key]));

/**
 * Reads the name of a key from the settings, such as `ctrl+c`, `Shift+Tab` or `pageUp`. Case and the order of modifiers do not matter.
 *
 * @returns The key, or the reason why there is none, as a sentence without a subject.
 */
export function readKeyName(name: string): { key: KeyId } | { problem: string } {
  const parts = name.toLowerCase().split("+").map(usualName);
  const key = keysByName.get(parts.pop() ?? "");
  const isKnown = key !== undefined && parts.every(isModifier) && new Set(parts).size === parts.length;
  if (!isKnown) return { problem: `is not the name of a key.${suggestName(name)}` };
  const used = modifiers.filter((modifier) => parts.includes(modifier));
  const typesText = (characterKeys.includes(key) || key === "space") && used.every((modifier) => modifier === "shift");
  if (typesText) return { problem: `types text, so it cannot have another use. Add a modifier: "ctrl+${key}".` };
  return { key: [...used, key].join("+") as KeyId };
}

/** Writes a key for people: `Ctrl-C`, `Shift-Tab`, `PageUp`. */
export function showKey(key: KeyId): string {
  return key
    .split("+")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("-");
}

function usualName(part: string): string {
  return otherNames[part.trim()] ?? part.trim();
}

function isModifier(part: string): boolean {
  return modifiers.some((modifier) => modifier === part);
}

/** Returns ` Did you mean "…"?`, or an empty string. Names are often written with `-`, or with a typing error in one part. */
function suggestName(name: string): string {
  const parts = name.toLowerCase().split(/[+-]/).map(usualName);
  const last = parts.pop() ?? "";
  const key = keysByName.get(last) ?? meantWord(last, namedKeys);
  const used = parts.map((part) => (isModifier(part) ? part : meantWord(part, modifiers)));
  if (key === undefined || used.includes(undefined) || new Set(used).size < used.length) return "";
  return ` Did you mean "${[...used, key].join("+")}"?`;
}
