import { createHash } from "node:crypto";
import type { SessionHeader } from "../protocol/frames.ts";
import { escapeHtml } from "./escape.ts";

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --dim: #777; --mark: #2563eb; --bad: #c2410c }
body { font: 15px/1.55 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--dim); overflow-wrap: anywhere }
dd { margin: 0 }
article { border-top: 1px solid var(--line); padding: .6rem 0; overflow-wrap: anywhere }
article > h2 { font-size: .8rem; margin: 0 0 .3rem; color: var(--dim); font-weight: 600 }
article.user { border-left: 3px solid var(--mark); padding-left: .8rem }
article.error { border-left: 3px solid var(--bad); padding-left: .8rem }
.label { background: var(--soft); border-radius: 3px; padding: 0 .4em }
.dim { color: var(--dim) }
pre { background: var(--soft); padding: .6rem; overflow: auto; white-space: pre-wrap; border-radius: 4px; font-size: 13px; margin: .4rem 0 }
table { border-collapse: collapse } td, th { border: 1px solid var(--line); padding: .2em .6em }
img { max-width: 100% }
summary { cursor: pointer; color: var(--dim) }
.hljs-comment, .hljs-quote { color: #6a737d } .hljs-keyword, .hljs-literal, .hljs-selector-tag, .hljs-built_in { color: #a626a4 }
.hljs-string, .hljs-attr, .hljs-addition { color: #2e7d32 } .hljs-number, .hljs-type, .hljs-meta { color: #b26a00 }
.hljs-title, .hljs-section, .hljs-name { color: #2563eb } .hljs-deletion { color: #c2410c }
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
    ["Session", header.id],
    ["Started", header.timestamp],
    ["Folder", header.cwd],
  ];
  if (header.parentSession !== undefined) facts.push(["Continues", header.parentSession]);
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
    `<dl>${facts.map(([term, fact]) => `<dt>${term}</dt><dd>${escapeHtml(fact)}</dd>`).join("")}</dl>`,
    "<main>",
    "",
  ].join("\n");
}

export const pageEnd = "</main>\n</body>\n</html>\n";
