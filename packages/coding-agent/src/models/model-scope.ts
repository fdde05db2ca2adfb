import { UsageError } from "../errors.ts";
import type { ScopedModel } from "./model-choice.ts";
import type { ModelRegistry } from "./model-registry.ts";
import { findModel, splitLevel } from "./model-resolver.ts";

/**
 * Resolves names and patterns to models with their thinking levels, in the order of the list.
 *
 * @param names - `id`, `provider/id`, or a pattern with `*` for `provider/id` or the id; each with an optional `:level`.
 * @throws {UsageError} With exit code 1 when a name or pattern matches no model.
 */
export async function resolveScope(registry: ModelRegistry, names: readonly string[]): Promise<ScopedModel[]> {
  const scope: ScopedModel[] = [];
  for (const name of names) {
    if (name.includes("*")) scope.push(...(await findMatching(registry, name)));
    else {
      const { model, thinkingLevel } = await findModel(registry, name, undefined);
      if (model) scope.push({ model, ...(thinkingLevel ? { thinkingLevel } : {}) });
    }
  }
  return scope.filter(({ model }, index) => {
    const first = scope.findIndex((other) => other.model.provider === model.provider && other.model.id === model.id);
    return first === index;
  });
}

async function findMatching(registry: ModelRegistry, pattern: string): Promise<ScopedModel[]> {
  const { name, thinkingLevel } = splitLevel(pattern);
  const found = (await registry.available()).filter(
    ({ provider, id }) => matchesWildcard(name, `${provider}/${id}`) || matchesWildcard(name, id),
  );
  if (found.length === 0) throw new UsageError("unknown_model", `No usable model matches "${pattern}". See --list-models.`);
  return found.map((model) => ({ model, ...(thinkingLevel ? { thinkingLevel } : {}) }));
}

/** Whether a name matches a pattern with `*`, ignoring case. Searches each part once, so it takes linear time. */
function matchesWildcard(pattern: string, name: string): boolean {
  const [first = "", ...parts] = pattern.toLowerCase().split("*");
  const last = parts.pop() ?? "";
  const text = name.toLowerCase();
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
