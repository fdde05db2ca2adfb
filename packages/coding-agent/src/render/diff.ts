import { type ChangedLine, changedLines, type Edit } from "./changed-lines.ts";
import { escapeHtml } from "./escape.ts";

/** Renders the changes of a call of `edit`. */
export function renderEdits(edits: readonly Edit[]): string {
  return inFrame(edits.map((edit) => changedLines(edit).map(renderLine).join("\n")).join('\n<span class="hunk">…</span>\n'));
}

/** Renders a unified diff, as the result of `edit` has one. The names of the files are left out. */
export function renderUnifiedDiff(diff: string): string {
  const lines = diff.replace(/\n$/, "").split("\n");
  const body = lines[0]?.startsWith("--- ") && lines[1]?.startsWith("+++ ") ? lines.slice(2) : lines;
  return inFrame(body.map(renderUnifiedLine).join("\n"));
}

function renderUnifiedLine(line: string): string {
  const mark = line.charAt(0);
  if (mark === "+" || mark === "-" || mark === " ") return renderLine({ mark, text: line.slice(1) });
  return `<span class="hunk">${escapeHtml(line)}</span>`;
}

function renderLine({ mark, text }: ChangedLine): string {
  const shown = escapeHtml(mark + text);
  if (mark === "+") return `<ins>${shown}</ins>`;
  return mark === "-" ? `<del>${shown}</del>` : shown;
}

function inFrame(lines: string): string {
  return `<pre class="diff"><code>${lines}</code></pre>`;
}
