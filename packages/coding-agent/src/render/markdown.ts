import { Marked, type Tokens } from "marked";
import { escapeHtml, toPrintable } from "./escape.ts";
import { highlightCode } from "./highlight.ts";

/** Maximum characters; a longer text is shown as plain text. */
const maxLength = 100_000;
/** Maximum characters of a paragraph with emphasis: the parser's time for it is quadratic (25,000 took 3 s). */
const maxEmphasisLength = 4000;
/** Maximum characters of a word: the parser searches for a mail address from each character to the end. */
const maxWordLength = 1000;
/** A line with nested quotes and lists, for which the parser's time is quadratic too. */
const deeplyNested = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m;
/** Maximum characters of an address that is shown as text. */
const maxShownAddress = 200;

const marked = new Marked<string, string>({
  gfm: true,
  tokenizer: {
    emStrong(_source, maskedSource) {
      // `false` uses the parser's own rule, `undefined` makes it text.
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
    // Images from other servers would tell these servers that the page is read, so they become links.
    image({ href, text }) {
      return renderLink(href, escapeHtml(text === "" ? "image" : text));
    },
    checkbox({ checked }: Tokens.Checkbox) {
      return checked ? "☑ " : "☐ ";
    },
  },
});

/** Renders Markdown as HTML. Raw HTML is shown as text. Only http, https and mailto links are kept as links. */
export function renderMarkdown(text: string): string {
  if (text.length > maxLength || deeplyNested.test(text) || hasLongWord(text)) return renderPlain(text);
  try {
    return `<div class="markdown">${marked.parse(toPrintable(text), { async: false })}</div>`;
  } catch {
    // Nested too deeply for the parser.
    return renderPlain(text);
  }
}

/**
 * The length of the beginning of a Markdown text that later text does not change: all of its blocks but the last one. Only definitions of links may
 * still change it, so render the complete text again at its end.
 */
export function finishedLength(text: string): number {
  // The parser replaces line ends of other systems, so that lengths differ.
  if (text.length > maxLength || text.includes("\r") || deeplyNested.test(text) || hasLongWord(text)) return 0;
  const blocks = marked.lexer(text);
  const last = blocks.findLastIndex(({ type }) => type !== "space");
  return blocks.slice(0, Math.max(last, 0)).reduce((length, { raw }) => length + raw.length, 0);
}

function hasLongWord(text: string): boolean {
  return text.split(/\s/).some((word) => word.length > maxWordLength);
}

/** Renders text unchanged. */
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

/** The normalized address; undefined for a relative address or another protocol. */
function toSafeAddress(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}
