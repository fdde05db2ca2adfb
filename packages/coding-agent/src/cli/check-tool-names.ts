import { UsageError } from "../errors.ts";
import { meantWord } from "../suggest.ts";
import { builtInToolNames, isBuiltInToolName } from "../tools/index.ts";

/**
 * Refuses names that look like a misspelt built-in tool. Other names are accepted: they may belong to tools of extensions or MCP servers, which
 * are not loaded yet.
 *
 * @throws {UsageError} For such a name.
 */
export function checkToolNames(names: readonly string[]): void {
  for (const name of names) {
    if (isBuiltInToolName(name) || meantWord(name, builtInToolNames) === undefined) continue;
    throw new UsageError(
      "invalid_arguments",
      `Unknown tool "${name}": the built-in tools are ${builtInToolNames.join(", ")}. Correct the name.`,
      { typed: name, words: builtInToolNames },
    );
  }
}
