import type { SourceLine } from "./line-cutter.ts";
import {
  dedent,
  endsFence,
  type Fence,
  indentOf,
  isBlank,
  isHeading,
  isQuote,
  isRule,
  isTableRuler,
  isUnderline,
  readFence,
  readItem,
} from "./markdown-source.ts";

/** Maximum number of lines that wait for the end of their block. The further lines of a longer block are released one by one. */
const maxParagraphLines = 10;
const maxQuoteLines = 30;
/**
 * A longer table is released in pieces of this many lines, or UTF-16 units, whose columns have widths of their own: the widths of one table depend
 * on all its rows, so it is drawn at once, and the program answers no key meanwhile. For this size that is up to 100 ms.
 */
const maxTableLines = 500;
const maxTableLength = 50_000;
/** Code is released in pieces of this many lines, or at the first blank line after `minCodeLines`. */
const maxCodeLines = 16;
const minCodeLines = 6;
/** Maximum depth of lists that begin in one line. */
const maxDepthInLine = 8;

/** A piece of a Markdown text that can be shown by itself. */
export interface MarkdownPart {
  /** The source, with line feeds. All parts together are the text. */
  text: string;
  /** `blank`: shows nothing. `fence`: the first or the last line of a code block. */
  kind: "blank" | "text" | "table" | "fence" | "code";
  /** The source without the indents and markers of the lists around it, and without the last line feed. */
  content: string;
  /** The text before the first line: spaces and markers of list items. */
  prefix: string;
  /** The number of spaces before the other lines. */
  indent: number;
  /** Whether a blank line comes before the part, unless it is the first one. */
  gap: boolean;
  /** Only for `code` and for its first fence: the text after the fence, which begins with the language. */
  info?: string;
  /** Only for a further piece of a table: its first two lines. */
  header?: string;
}

/** The block at the end of the text; further lines may belong to it. */
interface Leaf extends Omit<MarkdownPart, "text" | "content" | "kind"> {
  kind: "paragraph" | "quote" | "table" | "code";
  source: string[];
  lines: string[];
  /** The number of all lines, including the released ones. */
  total: number;
  /** UTF-16 units of `lines`. */
  length: number;
}

/** Finds the blocks of a Markdown text from its lines, and releases them as soon as no later line can change them. */
export class MarkdownSplitter {
  /** The columns at which the texts of the open list items begin. */
  #lists: number[] = [];
  #leaf: Leaf | undefined;
  #fence: { fence: Fence; indent: number } | undefined;
  /** The kind of the long line whose pieces arrive. */
  #cutLine: Pick<MarkdownPart, "kind" | "indent"> | undefined;
  #hasGap = false;
  #released: MarkdownPart[] = [];

  /** Returns the parts that were released since the last call. */
  take(): MarkdownPart[] {
    return this.#released.splice(0);
  }

  /** A splitter that can be continued by itself, without the parts that are released. */
  copy(): MarkdownSplitter {
    const copy = new MarkdownSplitter();
    copy.#lists = [...this.#lists];
    copy.#leaf = this.#leaf && { ...this.#leaf, source: [...this.#leaf.source], lines: [...this.#leaf.lines] };
    copy.#fence = this.#fence;
    copy.#cutLine = this.#cutLine;
    copy.#hasGap = this.#hasGap;
    return copy;
  }

  add({ text, isCut }: SourceLine): void {
    const line = text.replace(/\r?\n$/, "");
    if (this.#cutLine) {
      this.#release({ ...this.#cutLine, text, content: line, prefix: "", gap: false });
      if (!isCut) this.#cutLine = undefined;
      return;
    }
    if (this.#fence) this.#addCode(text, line);
    else if (isBlank(line)) this.#addBlank(text);
    else this.#addText(text, line);
    if (isCut) this.#waitForRest();
  }

  /** Releases the last block. */
  end(): void {
    this.#closeLeaf();
  }

  #waitForRest(): void {
    const indent = this.#fence?.indent ?? this.#lists.at(-1) ?? 0;
    this.#cutLine = { kind: this.#fence ? "code" : "text", indent };
    if (this.#fence) this.#releaseLeaf();
    else this.#closeLeaf();
  }

  #addBlank(text: string): void {
    this.#closeLeaf();
    this.#release({ kind: "blank", text, content: "", prefix: "", indent: 0, gap: false });
    this.#hasGap = true;
  }

  #addCode(text: string, line: string): void {
    const { fence, indent } = this.#fence as { fence: Fence; indent: number };
    const content = dedent(line, indent);
    if (endsFence(content, fence)) {
      this.#closeLeaf();
      this.#fence = undefined;
      this.#release({ kind: "fence", text, content: content.trim(), prefix: "", indent, gap: false });
      return;
    }
    this.#leaf ??= { ...this.#newLeaf("code", indent), info: fence.info };
    this.#append(this.#leaf, text, content);
  }

  #addText(text: string, line: string): void {
    const columns = indentOf(line);
    const lists = this.#lists.filter((offset) => offset <= columns);
    const inner = dedent(line, lists.at(-1) ?? 0);
    const leaf = this.#leaf;
    if (leaf) {
      const isInside = lists.length === this.#lists.length;
      if (isInside && this.#makeTable(leaf, text, inner)) return;
      if (isInside && leaf.kind === "paragraph" && leaf.lines.length > 0 && isUnderline(inner)) {
        this.#append(leaf, text, inner);
        this.#closeLeaf();
        this.#hasGap = true;
        return;
      }
      const isSameQuote = leaf.kind === "quote" && isInside && isQuote(inner);
      if (leaf.kind === "code" ? columns >= 4 + leaf.indent : isSameQuote || !startsBlock(inner, this.#lists.length > 0)) {
        this.#append(leaf, text, dedent(line, leaf.indent));
        return;
      }
    }
    this.#closeLeaf();
    this.#lists = lists;
    this.#startBlock(text, inner);
  }

  /** Makes a table of the last line of a paragraph and the line below it. Returns whether they are the beginning of a table. */
  #makeTable(leaf: Leaf, text: string, line: string): boolean {
    const header = leaf.lines.at(-1);
    if (leaf.kind !== "paragraph" || header === undefined || !header.includes("|") || !isTableRuler(line)) return false;
    const headerSource = leaf.source.at(-1) ?? "";
    if (leaf.lines.length > 1) {
      leaf.lines.pop();
      leaf.source.pop();
      this.#closeLeaf();
      this.#leaf = {
        ...this.#newLeaf("table", leaf.indent),
        lines: [header],
        source: [headerSource],
        total: 1,
        length: header.length,
      };
    } else leaf.kind = "table";
    const table = this.#leaf as Leaf;
    table.gap = true;
    this.#append(table, text, line);
    return true;
  }

  #startBlock(text: string, line: string): void {
    const { prefix, rest } = this.#openItems(line);
    const indent = this.#lists.at(-1) ?? 0;
    const fence = readFence(rest);
    if (fence) {
      this.#fence = { fence, indent };
      this.#release({ kind: "fence", text, content: rest.trim(), prefix, indent, gap: this.#takeGap(), info: fence.info });
    } else if (isHeading(rest) || isRule(rest)) {
      this.#takeGap();
      this.#release({ kind: "text", text, content: rest, prefix, indent, gap: true });
      this.#hasGap = true;
    } else {
      const kind = isQuote(rest) ? "quote" : indentOf(rest) >= 4 ? "code" : "paragraph";
      this.#leaf = { ...this.#newLeaf(kind, indent), prefix, ...(kind === "code" ? { info: "" } : {}) };
      this.#append(this.#leaf, text, rest);
    }
  }

  /** Opens the list items that begin in this line. Returns their markers, and the text after them. */
  #openItems(line: string): { prefix: string; rest: string } {
    let column = this.#lists.at(-1) ?? 0;
    let prefix = " ".repeat(column);
    let rest = line;
    for (let depth = 0; depth < maxDepthInLine && !isRule(rest); depth++) {
      const item = readItem(rest);
      if (!item) break;
      column += item.offset;
      this.#lists.push(column);
      prefix += item.text;
      rest = item.rest;
    }
    return { prefix, rest };
  }

  #newLeaf(kind: Leaf["kind"], indent: number): Leaf {
    return { kind, source: [], lines: [], total: 0, length: 0, prefix: " ".repeat(indent), indent, gap: this.#takeGap() };
  }

  #takeGap(): boolean {
    const hasGap = this.#hasGap;
    this.#hasGap = false;
    return hasGap;
  }

  #append(leaf: Leaf, source: string, line: string): void {
    if (leaf.kind === "table" && (leaf.lines.length >= maxTableLines || leaf.length >= maxTableLength)) {
      leaf.header ??= leaf.lines.slice(0, 2).join("\n");
      const { header } = leaf;
      this.#releaseLeaf();
      leaf.header = header;
    }
    leaf.source.push(source);
    leaf.lines.push(line);
    leaf.length += line.length;
    leaf.total += 1;
    const isFull =
      leaf.kind === "paragraph"
        ? leaf.total >= maxParagraphLines
        : leaf.kind === "quote"
          ? leaf.total >= maxQuoteLines
          : leaf.kind === "code" && leaf.lines.length >= (isBlank(line) ? minCodeLines : maxCodeLines);
    if (isFull) this.#releaseLeaf();
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    this.#releaseLeaf();
    this.#leaf = undefined;
    if (leaf?.kind === "table") this.#hasGap = true;
  }

  /** Releases the lines of the last block. The block stays open. */
  #releaseLeaf(): void {
    const leaf = this.#leaf;
    if (!leaf || leaf.lines.length === 0) return;
    const { source, lines, total: _total, length: _length, kind, ...place } = leaf;
    const shownKind = kind === "paragraph" || kind === "quote" ? "text" : kind;
    this.#release({ ...place, kind: shownKind, text: source.join(""), content: lines.join("\n") });
    leaf.source = [];
    leaf.lines = [];
    leaf.length = 0;
    leaf.gap = false;
    leaf.prefix = " ".repeat(leaf.indent);
  }

  #release(part: MarkdownPart): void {
    this.#released.push(part);
  }
}

/** Whether a line ends the paragraph before it. Such a list begins with 1, and its first item has a text. */
function startsBlock(line: string, isInList: boolean): boolean {
  if (isHeading(line) || isRule(line) || isQuote(line) || readFence(line)) return true;
  const item = readItem(line);
  return item !== undefined && (isInList || (item.rest !== "" && (!item.isOrdered || item.number === 1)));
}
