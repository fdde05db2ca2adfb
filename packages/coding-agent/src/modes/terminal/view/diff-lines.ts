import { count, toSafeText, wrap } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";

/** Maximum length of a shown line, in UTF-16 units. */
const maxLength = 2000;

/** A line of a unified diff. */
interface DiffLine {
  kind: "added" | "removed" | "context" | "gap";
  /** In the new text; for a removed line, in the old text. */
  number: number;
  text: string;
}

/** The numbers of added and removed lines of a unified diff. */
export function countChanges(diff: string): { added: number; removed: number } {
  const lines = readDiff(diff);
  const countOf = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: countOf("added"), removed: countOf("removed") };
}

/** Shows a unified diff with colours and line numbers. */
export function renderDiff(diff: string, width: number, { theme, most }: { theme: Theme; most: number }): string[] {
  const lines = readDiff(diff);
  const digits = `${lines.reduce((largest, { number }) => Math.max(largest, number), 0)}`.length;
  const shown: string[] = [];
  for (const { kind, number, text } of lines.slice(0, most)) {
    if (kind === "gap") {
      shown.push(theme.dim(`${" ".repeat(digits - 1)}⋮`));
      continue;
    }
    const mark = kind === "added" ? "+" : kind === "removed" ? "-" : " ";
    const style = kind === "added" ? theme.added : kind === "removed" ? theme.removed : theme.dim;
    const rows = wrap(toSafeText(text.slice(0, maxLength)), width - digits - 3, style);
    for (const [index, row] of rows.entries()) {
      const before = index === 0 ? `${`${number}`.padStart(digits)} ${mark} ` : " ".repeat(digits + 3);
      shown.push((style(before.trimEnd()) + " ".repeat(before.length - before.trimEnd().length) + row).trimEnd());
    }
  }
  if (lines.length > most) shown.push(theme.dim(`… ${count(lines.length - most, "more line")}`));
  return shown;
}

function readDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let oldNumber = 0;
  let newNumber = 0;
  for (const line of diff.split("\n")) {
    const [, oldStart, newStart] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? [];
    if (oldStart !== undefined) {
      if (lines.length > 0) lines.push({ kind: "gap", number: 0, text: "" });
      oldNumber = Number(oldStart);
      newNumber = Number(newStart);
    } else if (newNumber === 0 && oldNumber === 0) {
      // The names of the files, before the first hunk.
    } else if (line.startsWith("+")) lines.push({ kind: "added", number: newNumber++, text: line.slice(1) });
    else if (line.startsWith("-")) lines.push({ kind: "removed", number: oldNumber++, text: line.slice(1) });
    else if (line.startsWith(" ")) {
      lines.push({ kind: "context", number: newNumber++, text: line.slice(1) });
      oldNumber += 1;
    }
  }
  return lines;
}
