import { UsageError } from "../errors.ts";
import { findModel, splitLevel } from "./find-model.ts";
import type { ScopedModel } from "./model-choice.ts";
import type { ModelRegistry } from "./model-registry.ts";

/**
 * Resolves names and patterns to models with their thinking levels, in the order of the list. One that matches no model is reported.
 *
 * @param names - `id`, `provider/id`, or a pattern with `*` for `provider/id` or the id; each with an optional `:level`.
 * @throws {UsageError} With exit code 1 when none of them matches a model.
 */
export async function resolveScope(registry: ModelRegistry, names: readonly string[]): Promise<ScopedModel[]> {
  const scope: ScopedModel[] = [];
  const problems: UsageError[] = [];
  for (const name of names) {
    try {
      scope.push(...(await resolveName(registry, name)));
    } catch (error) {
      if (!(error instanceof UsageError) || error.code !== "unknown_model") throw error;
      problems.push(error);
    }
  }
  if (scope.length === 0 && problems[0]) throw problems[0];
  for (const { message } of problems) registry.report(message);
  return scope.filter(({ model }, index) => {
    const first = scope.findIndex((other) => other.model.provider === model.provider && other.model.id === model.id);
    return first === index;
  });
}

async function resolveName(registry: ModelRegistry, name: string): Promise<ScopedModel[]> {
  if (name.includes("*")) return findMatching(registry, name);
  const { model, thinkingLevel } = await findModel(registry, name, undefined);
  return model ? [{ model, ...(thinkingLevel ? { thinkingLevel } : {}) }] : [];
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
