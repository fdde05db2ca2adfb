const loneSurrogates = /\p{Surrogate}/gu;

/**
 * Removes lone surrogates from `text`: they have no UTF-8 form, and providers reject a body that contains one.
 */
export function removeLoneSurrogates(text: string): string {
  return text.isWellFormed() ? text : text.replace(loneSurrogates, "");
}

/** Removes lone surrogates from every string of a JSON value, including keys. Returns the same value if it has none. */
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
