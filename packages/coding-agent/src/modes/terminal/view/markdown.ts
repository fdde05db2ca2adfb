import type { MarkdownContext } from "../../../terminal-interface.ts";
import { importMarkdown, type MarkdownTheme } from "../library.ts";
import { finishLines, toSafeText, wrap } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";
import { CodeColors } from "./code-colors.ts";
import type { MarkdownPart } from "./markdown-stream.ts";

/** Texts in deep lists have at least this many cells, unless the list itself needs less than `maxNarrowIndent`. */
const minTextWidth = 20;
const maxNarrowIndent = 8;
/** Rows of a table that are drawn while it grows. */
const previewedRows = 50;

type MarkdownClass = Awaited<ReturnType<typeof importMarkdown>>["Markdown"];

let loading: Promise<void> | undefined;
/** null if it cannot be loaded. */
let Markdown: MarkdownClass | null | undefined;
const ready = Promise.withResolvers<void>();

/** Resolves when the library's renderer was loaded: blocks that waited for it can then be drawn. */
export const markdownLoaded: Promise<void> = ready.promise;

/** Loads the library's renderer. Never rejects: without it, texts are shown as they are. */
export function loadMarkdown(): Promise<void> {
  loading ??= importMarkdown()
    .then(
      (library) => {
        Markdown = library.Markdown;
      },
      () => {
        Markdown = null;
      },
    )
    .finally(ready.resolve);
  return loading;
}

/** Whether texts can be rendered. */
export function canRender(): boolean {
  return Markdown !== undefined;
}

/** Changes a part of an answer before it is rendered. */
export type MarkdownTransform = (markdown: string, context: MarkdownContext) => string;

/** Shows the parts of one Markdown text, in their order. */
export class MarkdownRenderer {
  readonly #transform: MarkdownTransform | undefined;
  readonly #theme: Theme;
  readonly #markdownTheme: MarkdownTheme;
  #code: CodeColors;
  #hasShown = false;

  /** @param transform - Changes paragraphs, tables and the like before they are rendered, but not code. */
  constructor(theme: Theme, transform?: MarkdownTransform) {
    this.#transform = transform;
    this.#theme = theme;
    this.#markdownTheme = toMarkdownTheme(theme);
    this.#code = new CodeColors(theme, "");
  }

  /** The lines of the next parts. */
  render(parts: readonly MarkdownPart[], width: number): string[] {
    return this.#render(this.#change(parts, width, false), width, (code) => this.#code.add(code));
  }

  /** The lines of parts that come next, but may still change. */
  preview(parts: readonly MarkdownPart[], width: number): string[] {
    const before = { code: this.#code, hasShown: this.#hasShown };
    const lines = this.#render(this.#change(parts.map(shortenTable), width, true), width, (code) => this.#code.preview(code));
    this.#code = before.code;
    this.#hasShown = before.hasShown;
    return lines;
  }

  #change(parts: readonly MarkdownPart[], availableWidth: number, isStreaming: boolean): readonly MarkdownPart[] {
    const transform = this.#transform;
    if (!transform) return parts;
    const context: MarkdownContext = { messageType: "assistant", isStreaming, availableWidth };
    const isChangeable = ({ kind, header }: MarkdownPart) => kind === "text" || (kind === "table" && header === undefined);
    return parts.map((part) => (isChangeable(part) ? { ...part, content: transform(part.content, context) } : part));
  }

  #render(parts: readonly MarkdownPart[], width: number, color: (code: string) => string): string[] {
    const lines: string[] = [];
    for (const part of parts) {
      if (part.kind === "blank") continue;
      if (part.gap && this.#hasShown) lines.push("");
      this.#hasShown = true;
      if (part.info !== undefined && part.kind === "fence") this.#code = new CodeColors(this.#theme, part.info);
      const indent = Math.min(part.indent, Math.max(Math.min(maxNarrowIndent, width >> 1), width - minTextWidth));
      const prefix = indent === 0 ? "" : part.prefix.slice(-indent).padStart(indent);
      const shown = this.#renderContent(part, Math.max(1, width - indent), color);
      for (const [index, line] of (shown.length === 0 ? [""] : shown).entries()) {
        const before = index === 0 ? this.#stylePrefix(prefix) : " ".repeat(indent);
        lines.push(line === "" ? before.trimEnd() : before + line);
      }
    }
    return lines;
  }

  #stylePrefix(prefix: string): string {
    return prefix.trim() === "" ? prefix : prefix.replace(/\S+/g, (marker) => this.#theme.accent(marker));
  }

  #renderContent({ kind, content, header }: MarkdownPart, width: number, color: (code: string) => string): string[] {
    const safe = toSafeText(content);
    switch (kind) {
      case "fence":
        return wrap(safe, width, this.#theme.dim);
      case "code":
        return wrap(color(safe), width);
      case "table":
        return header === undefined ? this.#renderMarkdown(safe, width) : this.#renderFurtherRows(toSafeText(header), safe, width);
      default:
        return this.#renderMarkdown(safe, width);
    }
  }

  #renderMarkdown(text: string, width: number): string[] {
    if (isPlain(text) || !Markdown) return wrap(text.replace(/ +$/gm, ""), width);
    const component = new Markdown(escapeHidden(text), 0, 0, this.#markdownTheme, undefined, { renderLatex: false });
    return finishLines(component.render(width), this.#theme);
  }

  /** Shows further rows of a long table. Its header is above its first rows. */
  #renderFurtherRows(header: string, rows: string, width: number): string[] {
    const lines = this.#renderMarkdown(`${header}\n${rows}`, width);
    const ruler = lines.findIndex((line) => line.includes("├"));
    return ruler === -1 ? lines : [...lines.slice(0, 1), ...lines.slice(ruler + 1)];
  }
}

/** A table that still grows, with its last rows: it is drawn often, and no more of it is seen. */
function shortenTable(part: MarkdownPart): MarkdownPart {
  if (part.kind !== "table") return part;
  const lines = part.content.split("\n");
  const head = part.header === undefined ? 2 : 0;
  if (lines.length <= head + previewedRows) return part;
  return { ...part, content: [...lines.slice(0, head), ...lines.slice(-previewedRows)].join("\n") };
}

function toMarkdownTheme(theme: Theme): MarkdownTheme {
  return {
    heading: theme.heading,
    link: theme.link,
    linkUrl: theme.dim,
    code: theme.code,
    codeBlock: theme.code,
    codeBlockBorder: theme.dim,
    quote: theme.dim,
    quoteBorder: theme.border,
    hr: theme.border,
    listBullet: theme.accent,
    bold: theme.bold,
    italic: theme.italic,
    strikethrough: theme.strikethrough,
    underline: theme.underline,
    codeBlockIndent: "",
  };
}

/** Whether a block has only words, so that the library, which takes three times as long, would show it as it is. */
function isPlain(text: string): boolean {
  return !/[*_`~[\]<>&\\|#$=]|:\/\/|www\.|@|^ {0,3}(?:[-+]|\d+[.)])(?: |$)|^ {4}|--/m.test(text);
}

/**
 * Escapes what the library would not show: definitions of links, which may belong to other parts, and numeric entities of control characters,
 * which it would send to the terminal.
 */
function escapeHidden(text: string): string {
  return text
    .replace(/^( {0,3})\[(?=[^\]]*\]:)/gm, "$1&#91;")
    .replace(/&(?=#(?:x0*(?:[01]?[\da-f]|7f|[89][\da-f])(?![\da-f])|0*(?:[12]?\d|3[01]|12[7-9]|1[345]\d)(?!\d)))/gi, "\\&");
}
