import { createHash } from "node:crypto";
import type { StatsCounter } from "../conversation/stats.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import { escapeHtml } from "../render/escape.ts";
import { countOf, formatCost, formatCount } from "../render/format.ts";
import { renderTime } from "../render/parts.ts";
import { style as conversationStyle } from "../render/style.ts";

const style = `${conversationStyle}
body { max-width: 56rem; margin: 2rem auto; padding: 0 1rem }
body > dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--dim); overflow-wrap: anywhere }
dd { margin: 0 }
footer { border-top: 1px solid var(--line); margin-top: 1.5rem; padding: .8rem 0; color: var(--dim) }
footer p { margin: .2rem 0 }
@media print { body { margin: 0 } article { break-inside: auto } }
`;

/** The content of the page's head. */
export interface PageHead {
  header: SessionHeader;
  name: string | null;
  /** The number of entries on other branches, which are not shown. */
  elsewhere: number;
}

/** The page up to its first entry. Its content security policy forbids scripts, forms and all requests. */
export function pageStart({ header, name, elsewhere }: PageHead): string {
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const title = escapeHtml(name ?? `Session ${header.id}`);
  const facts: [string, string][] = [
    ["Session", escapeHtml(header.id)],
    ["Started", renderTime(header.timestamp)],
    ["Folder", escapeHtml(header.cwd)],
  ];
  if (header.parentSession !== undefined) facts.push(["Continues", escapeHtml(header.parentSession)]);
  if (elsewhere > 0) facts.push(["Not shown", `${elsewhere} ${elsewhere === 1 ? "entry" : "entries"} on other branches`]);
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    `<h1>${title}</h1>`,
    `<dl>${facts.map(([term, fact]) => `<dt>${term}</dt><dd>${fact}</dd>`).join("")}</dl>`,
    "<main>",
    "",
  ].join("\n");
}

/** The page after its last entry: the usage of the entries that are shown. */
export function pageEnd({ counts }: StatsCounter): string {
  const { userMessages, assistantMessages, toolCalls } = counts;
  const shown = [countOf(userMessages, "prompt"), countOf(assistantMessages, "answer"), countOf(toolCalls, "tool call")].join(", ");
  const total = assistantMessages === 0 ? "" : `<footer>\n<p>Total: ${shown}</p>\n<p>${describeUsage(counts)}</p>\n</footer>\n`;
  return `</main>\n${total}</body>\n</html>\n`;
}

function describeUsage({ tokens, cost }: StatsCounter["counts"]): string {
  const parts = [`${formatCount(tokens.input)} in`, `${formatCount(tokens.output)} out`];
  if (tokens.cacheRead > 0) parts.push(`${formatCount(tokens.cacheRead)} read from the cache`);
  if (tokens.cacheWrite > 0) parts.push(`${formatCount(tokens.cacheWrite)} written to the cache`);
  return `${countOf(tokens.total, "token")} (${parts.join(", ")}), ${formatCost(cost)}`;
}
