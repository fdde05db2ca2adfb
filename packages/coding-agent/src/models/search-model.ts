import type { Model } from "@pikit/ai";

/** Matches ids of dated releases, such as claude-sonnet-4-20250514. */
const dated = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/**
 * Finds the model that a part of an id or of a name means, such as `sonnet`: of the first provider with such a model, the one with the highest
 * version. Releases with a date count only if there is no other. Undefined if there is none.
 *
 * @param models - In the order of their providers.
 * @param text - A part of the id or of the name, in upper or lower case; may begin with `provider/`.
 */
export function searchModel(models: readonly Model[], text: string): Model | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return undefined;
  const slash = wanted.indexOf("/");
  const provider = slash > 0 ? wanted.slice(0, slash) : undefined;
  const ofProvider = models.filter((model) => model.provider === provider);
  const found = ofProvider.length > 0 ? withPart(ofProvider, wanted.slice(slash + 1)) : withPart(models, wanted);
  const own = found.filter((model) => model.provider === found[0]?.provider);
  const undated = own.filter(({ id }) => !dated.test(id));
  const candidates = undated.length > 0 ? undated : own;
  return candidates.toSorted((a, b) => b.id.localeCompare(a.id, "en", { numeric: true }))[0];
}

function withPart(models: readonly Model[], part: string): Model[] {
  return models.filter(({ id, name }) => id.toLowerCase().includes(part) || name.toLowerCase().includes(part));
}
