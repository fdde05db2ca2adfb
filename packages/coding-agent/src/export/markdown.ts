import { Marked, type Tokens } from "marked";
import { escapeHtml, toPrintable } from "./escape.ts";
import { highlightCode } from "./highlight.ts";

/** Characters. Longer texts are shown as they are. */
const maxLength = 100_000;
/** Characters. In a longer paragraph nothing is emphasised: the parser's time for that grows with the square (25,000 took 3 s). */
const maxEmphasisLength = 4000;
/** Characters without white space. The parser looks for mail addresses from each of them to the end. */
const maxWordLength = 1000;
/** A line of nested quotes and lists: the parser's time for those grows with the square, too. */
const deeplyNested = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m;
/** Of an address that is shown as text. */
const maxShownAddress = 200;

const marked = new Marked<string, string>({
  gfm: true,
  tokenizer: {
    emStrong(_source, maskedSource) {
      // false leaves it to the parser's own rule, undefined makes it text.
      return maskedSource.length > maxEmphasisLength ? undefined : false;
    },
  },
  renderer: {
    html({ text }) {
      return escapeHtml(text);
    },
    code({ text, lang }) {
      return `<pre><code>${highlightCode(text, lang ?? "")}</code></pre>\n`;
    },
    link({ href, tokens }) {
      return renderLink(href, this.parser.parseInline(tokens));
    },
    // A page that shows pictures from elsewhere would tell them that it is read.
    image({ href, text }) {
      return renderLink(href, escapeHtml(text === "" ? "image" : text));
    },
    checkbox({ checked }: Tokens.Checkbox) {
      return checked ? "☑ " : "☐ ";
    },
  },
});

/** Markdown as HTML. Raw HTML in it shows as text; links lead to http, https and mail addresses only. */
export function renderMarkdown(text: string): string {
  if (text.length > maxLength || deeplyNested.test(text) || hasLongWord(text)) return renderPlain(text);
  try {
    return `<div class="markdown">${marked.parse(toPrintable(text), { async: false })}</div>`;
  } catch {
    // Nested deeper than the parser can follow.
    return renderPlain(text);
  }
}

function hasLongWord(text: string): boolean {
  return text.split(/\s/).some((word) => word.length > maxWordLength);
}

/** Text as it was written. */
export function renderPlain(text: string): string {
  return text === "" ? "" : `<pre>${escapeHtml(text)}</pre>`;
}

/** @param label - HTML. */
function renderLink(href: string, label: string): string {
  const address = toSafeAddress(href);
  if (address !== undefined) return `<a href="${escapeHtml(address)}" rel="noopener noreferrer">${label}</a>`;
  const shown = href.length > maxShownAddress ? `${href.slice(0, maxShownAddress)}…` : href;
  return `${label} (${escapeHtml(shown)})`;
}

/** The address as a browser would understand it; undefined for one that is relative or of another kind. */
function toSafeAddress(href: string): string | undefined {
  const url = URL.parse(href);
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}
