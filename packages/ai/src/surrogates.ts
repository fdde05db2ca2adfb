const loneSurrogates = /\p{Surrogate}/gu;

/**
 * `text` without halves of surrogate pairs that have lost their partner: they have no UTF-8 form, and providers reject a body that
 * holds one. Whole pairs stay.
 */
export function removeLoneSurrogates(text: string): string {
  return text.isWellFormed() ? text : text.replace(loneSurrogates, "");
}

/** The same for every string inside a JSON value, keys included. Values without such strings are returned as they are. */
export function removeLoneSurrogatesDeep(value: unknown): unknown {
  if (typeof value === "string") return removeLoneSurrogates(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(removeLoneSurrogatesDeep);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value);
  const clean = entries.map(([key, item]): [string, unknown] => [removeLoneSurrogates(key), removeLoneSurrogatesDeep(item)]);
  const isSame = clean.every(([key, item], index) => key === entries[index]?.[0] && item === entries[index][1]);
  return isSame ? value : Object.fromEntries(clean);
}
