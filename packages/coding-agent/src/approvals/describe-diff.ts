import { changedLines, linesOf, listEdits } from "../render/changed-lines.ts";

/**
 * The change that a call of `write` or `edit` makes, as the path and lines that begin with `+`, `-` or a space; undefined for other calls. The
 * file is not read: an edit is shown as the model gave it.
 */
export function describeDiff(toolName: string, params: unknown): string | undefined {
  const { path, content, ...rest } = (params ?? {}) as Record<string, unknown>;
  if (typeof path !== "string") return undefined;
  if (toolName === "write" && typeof content === "string")
    return [` ${path}`, ...linesOf(content).map((line) => `+${line}`)].join("\n");
  if (toolName !== "edit") return undefined;
  const found = listEdits(rest);
  if (found.length === 0) return undefined;
  const lines = found.flatMap((edit, index) => [
    ...(index > 0 ? [" …"] : []),
    ...changedLines(edit).map(({ mark, text }) => mark + text),
  ]);
  return [` ${path}`, ...lines].join("\n");
}
